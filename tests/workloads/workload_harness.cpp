#include "tests/workloads/workload_harness.h"

#include <stdexcept>

namespace sweepd {

std::vector<std::pair<std::string, Value>> values_of(const std::string& workload,
                                                     const Texts& changes) {
  const WorkloadDef& def = Registry::instance().find(workload)->def;
  Trial trial = default_trial(def);
  for (const auto& [name, text] : changes) {
    const auto index = def.index_of(name);
    if (!index) throw std::invalid_argument("no parameter " + name);
    auto value = def.params[*index].parse(text);
    if (!value) throw std::invalid_argument(value.error().message);
    trial.values[*index] = *value;
  }
  std::vector<std::pair<std::string, Value>> named;
  for (std::size_t i = 0; i < def.params.size(); ++i) {
    named.emplace_back(def.params[i].name, trial.values[i]);
  }
  return named;
}

Harness::Harness(DeviceOptions options)
    : device(make_device(options)), context{*device, Pass::kTiming, 0, 1, 1, {}, {}} {}

std::unique_ptr<Workload> Harness::make(const std::string& workload, const Texts& changes) {
  const auto values = values_of(workload, changes);
  context.run = read_params<RunParams>(values);
  return Registry::instance().find(workload)->make(values, context);
}

WorkPerStep Harness::work(const std::string& workload, const Texts& changes) {
  const auto values = values_of(workload, changes);
  return Registry::instance().find(workload)->work(values, read_params<RunParams>(values));
}

}  // namespace sweepd
