// Makes and runs a workload through the registry, as the worker does, from parameters as text.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/workloads/lm_fixture.h"
#include "workloads/api/workload.h"

namespace sweepd {

class RecordedFacts final : public Facts {
 public:
  void text(std::string_view name, std::string_view value) override {
    texts[std::string(name)] = value;
  }
  void number(std::string_view name, double value) override { numbers[std::string(name)] = value; }
  std::map<std::string, std::string> texts;
  std::map<std::string, double> numbers;
};

using Texts = std::vector<std::pair<std::string, std::string>>;

// Returns the defaults with `changes`; throws std::invalid_argument if the catalog refuses one.
std::vector<std::pair<std::string, Value>> values_of(const std::string& workload,
                                                     const Texts& changes);

struct Harness {
  explicit Harness(DeviceOptions options = {});
  std::unique_ptr<Workload> make(const std::string& workload, const Texts& changes);
  WorkPerStep work(const std::string& workload, const Texts& changes);

  std::unique_ptr<Device> device;
  Context context;
};

}  // namespace sweepd
