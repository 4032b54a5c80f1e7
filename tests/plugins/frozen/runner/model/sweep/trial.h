// A trial: one point of a sweep. Two trials have equal keys exactly if they measure the same.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runner/base/ids.h"
#include "runner/model/vocabulary/catalog.h"
#include "runner/model/vocabulary/pass.h"

namespace sweepd {

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

// Whether the key of a trial with this value has the parameter.
inline bool is_in_key(const ParamDef& param, const Value& value) {
  return param.role == ParamRole::kIdentity &&
         (param.always_in_key || value != param.default_value);
}

// The text of a value in the hashed text of a key. Databases store keys, so this text never
// changes, even if another form would read better (`to_text`).
std::string key_text(const ParamDef& param, const Value& value);

// How many attempts a pass has. Only timings are worth repeating: memory and kernels do not vary.
constexpr std::int64_t rounds_of(Pass pass, std::int64_t repeats) {
  return pass == Pass::kTiming ? repeats : 1;
}

}  // namespace sweepd
