// Finds results of the same parameters that an older program gave.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "db/base/connection.h"
#include "db/base/param_columns.h"
#include "runner/model/catalog.h"
#include "runner/model/changes.h"
#include "runner/model/pool_name.h"
#include "runner/model/trial.h"
#include "runner/model/work.h"

namespace sweepd {

// A condition on the attempt `attempt` of a statement: what ran, and on what, is what would run
// now. It has two `?`, the workload's code and MachineId::hash; "" accepts every result.
std::string same_code_and_machine(std::string_view attempt);

// On what trials of a workload would run now.
class MachinesNow {
 public:
  MachinesNow(const WorkloadDef& def, MachineIds ids)
      : device_(def.index_of("device")), pool_(pool_param(def)), ids_(std::move(ids)) {}
  // Which node of another pool it will be, nobody knows.
  const MachineId& of(const Trial& trial) const {
    if (pool_ && trial.values[*pool_] != Value(std::string(kLocalPool))) return unknown_;
    const auto* device = device_ ? std::get_if<std::string>(&trial.values[*device_]) : nullptr;
    return ids_.of(device == nullptr ? "" : *device);
  }

 private:
  std::optional<std::size_t> device_, pool_;
  MachineIds ids_;
  MachineId unknown_;
};

class OlderResults {
 public:
  OlderResults(Connection& connection, const WorkloadDef& def);

  // Returns, of one host, the newest done attempt with these parameters, whatever its code and
  // machine; one of the same program comes before others. `base_key` may be empty.
  std::optional<OlderResult> find(const TrialKey& key, const std::string& base_key,
                                  std::string_view pass, std::int64_t repeat, std::int64_t host);

 private:
  Connection& connection_;
  const WorkloadDef& def_;
  ParamTable params_;
};

// Counts an attempt that runs again although an older result of `trial` exists.
void count_change(Changes& changes, const OlderResult& older, const WorkloadDef& def,
                  const Trial& trial, const MachineId& machine_now);

}  // namespace sweepd
