#include "runner/daemon/attempts/trial_request.h"

#include <algorithm>

#include "runner/model/vocabulary/program.h"

namespace sweepd {

AttemptRequest trial_request(const WorkloadDef& def, const TrialKey& key, const Trial& trial,
                             Pass pass) {
  AttemptRequest request;
  request.trial = key;
  request.workload = def.name;
  request.pass = pass;
  // A sweep that was submitted a moment ago may have given the program more parameters.
  const std::size_t known = std::min(def.params.size(), trial.values.size());
  for (std::size_t i = 0; i < known; ++i) {
    request.params.emplace_back(def.params[i].name, def.params[i].text(trial.values[i]));
  }
  if (!def.base.empty()) request.program = declaration_of(def);
  return request;
}

}  // namespace sweepd
