// Finds results of the same parameters that an older program gave.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "db/base/connection.h"
#include "db/base/param_columns.h"
#include "runner/model/catalog.h"
#include "runner/model/changes.h"
#include "runner/model/trial.h"
#include "runner/model/work.h"

namespace sweepd {

// A condition on the attempt `attempt` of a statement: what ran is what would run now. It has one
// `?`, the workload's code; "" accepts every result.
std::string same_code(std::string_view attempt);

class OlderResults {
 public:
  OlderResults(Connection& connection, const WorkloadDef& def, std::int64_t host);

  // Returns the newest done attempt with these parameters, whatever its code. `base_key` may be
  // empty.
  std::optional<OlderResult> find(const TrialKey& key, const std::string& base_key,
                                  std::string_view pass, std::int64_t repeat);

 private:
  Connection& connection_;
  const WorkloadDef& def_;
  std::int64_t host_;
  ParamTable params_;
};

// Counts an attempt that runs again although an older result of `trial` exists.
void count_change(Changes& changes, const OlderResult& older, const WorkloadDef& def,
                  const Trial& trial);

}  // namespace sweepd
