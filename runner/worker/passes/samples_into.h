// Collects what a workload adds.
#pragma once

#include <string_view>
#include <vector>

#include "runner/model/measurement/sample.h"
#include "workloads/api/workload.h"

namespace sweepd {

class SamplesInto final : public Samples {
 public:
  explicit SamplesInto(std::vector<Sample>& samples) : samples_(samples) {}
  void add(std::string_view phase, std::string_view metric, double value) override {
    Sample& sample = samples_.emplace_back();
    sample.phase = phase;
    sample.metric = metric;
    sample.value = value;
  }

 private:
  std::vector<Sample>& samples_;
};

}  // namespace sweepd
