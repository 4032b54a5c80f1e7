// Finds results of the same parameters by an older program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "db/base/connection.h"
#include "db/base/param_columns.h"
#include "runner/model/measurement/work.h"
#include "runner/model/sweep/changes.h"
#include "runner/model/sweep/trial.h"
#include "runner/model/vocabulary/catalog.h"
#include "runner/model/vocabulary/pool_name.h"

namespace sweepd {

// A condition on the attempt `attempt` of a statement: its code and machine are the current ones.
// It has two `?`, the workload's code and MachineId::hash; "" accepts every result.
std::string same_code_and_machine(std::string_view attempt);

// The machine on which a workload's trials would run now.
class MachinesNow {
 public:
  MachinesNow(const WorkloadDef& def, MachineIds ids)
      : device_(def.index_of("device")), pool_(pool_param(def)), ids_(std::move(ids)) {}
  // The node of another pool is not known in advance.
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

  // Returns, of one host, the newest done attempt with these parameters, of any code and machine,
  // the same program first. `base_key` may be empty.
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
