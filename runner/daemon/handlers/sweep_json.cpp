#include "runner/daemon/handlers/sweep_json.h"

#include "runner/daemon/serving/watchers.h"

namespace sweepd {

using nlohmann::json;

json to_json(const SweepRow& sweep) {
  return {{"id", sweep.id},
          {"name", sweep.name},
          {"description", sweep.description},
          {"workload", sweep.workload},
          {"submitted_ns", sweep.submitted.ns},
          {"cancelled", sweep.cancelled},
          {"trials", sweep.trials},
          {"counts", to_json(sweep.progress)}};
}

json to_json(const AttemptRow& attempt) {
  json value{{"id", attempt.id},
             {"trial", attempt.trial_key},
             {"label", attempt.label},
             {"workload", attempt.workload},
             {"pass", name_of(attempt.pass)},
             {"repeat", attempt.repeat},
             {"state", attempt.outcome   ? name_of(*attempt.outcome)
                       : attempt.started ? "running"
                                         : "queued"},
             {"detail", attempt.detail},
             {"verdict", attempt.verdict},
             {"verdict_reasons", attempt.verdict_reasons}};
  if (attempt.started) value["started_ns"] = attempt.started->ns;
  if (attempt.ended) value["ended_ns"] = attempt.ended->ns;
  return value;
}

}  // namespace sweepd
