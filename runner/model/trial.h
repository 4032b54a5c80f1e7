// A trial: one point of a sweep. Two trials have equal keys exactly if they measure the same.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runner/base/ids.h"
#include "runner/model/catalog.h"

namespace sweepd {

enum class Pass { kTiming, kMemory, kProfile };
std::string_view name_of(Pass pass);
Result<Pass> pass_from(std::string_view name);
const std::vector<std::string>& pass_words();

struct Trial {
  std::vector<Value> values;  // parallel to WorkloadDef::params

  const Value& get(const WorkloadDef& def, std::string_view param) const;
  std::int64_t integer(const WorkloadDef& def, std::string_view param) const;
  const std::string& text(const WorkloadDef& def, std::string_view param) const;
};

Trial default_trial(const WorkloadDef& def);

// The parameter of role kPlace; empty if the workload has none.
std::optional<std::size_t> pool_param(const WorkloadDef& def);
// Its value, `local` if the workload has none.
std::string pool_of(const WorkloadDef& def, const Trial& trial);

// Returns the hash of the workload, its version and the identity parameters that differ from their
// defaults, by name in alphabetical order: `lm_step/1|context=512|model=xl`. A new parameter whose
// default keeps the old behaviour therefore keeps old keys. Parameters that a sweep file declares
// for its program are always part of it (ParamDef::always_in_key).
TrialKey key_of(const WorkloadDef& def, const Trial& trial);

// `context=128 model=xl`: the axes of its sweep (indices into WorkloadDef::params) in their order,
// with any values, so that no two points of the sweep look alike; then the other parameters
// that differ from their defaults, in catalog order, without computed ones.
std::string label_of(const WorkloadDef& def, const Trial& trial,
                     const std::vector<std::size_t>& axes = {});

}  // namespace sweepd
