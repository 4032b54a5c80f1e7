// Runs the ranks of one attempt as threads of the test. Each joins through make_collectives or a
// workload, as it would in its own process.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/api/workload.h"

namespace sweepd {

class RecordedSamples final : public Samples {
 public:
  void add(std::string_view phase, std::string_view metric, double value) override {
    values[std::string(phase) + "/" + std::string(metric)].push_back(value);
  }
  std::map<std::string, std::vector<double>> values;  // by "phase/metric"
};

struct RankResult {
  std::string error;               // its body's exception; "" for none
  std::vector<std::string> notes;  // of its status page, in order
  RecordedSamples setup;
};

// Runs `body` as each of `world_size` ranks at once, on the CPU with one thread each, and returns
// the results by rank after all have ended. Objects that `body` makes must end with it, since a
// rank whose collectives stay alive keeps the others waiting.
std::vector<RankResult> run_ranks(int world_size, const std::function<void(Context&)>& body,
                                  const RunParams& run = {});

// Does the same, and every rank's error fails the test.
void expect_ranks(int world_size, const std::function<void(Context&)>& body,
                  const RunParams& run = {});

}  // namespace sweepd
