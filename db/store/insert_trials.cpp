#include "db/store/insert_trials.h"

#include <fmt/format.h>

#include <algorithm>

#include "db/base/program_tables.h"
#include "db/store/older_trials.h"
#include "runner/model/vocabulary/program.h"

namespace sweepd {
namespace {

std::int64_t per_sweep_value(const WorkloadDef& def, const Trial& trial, std::string_view name,
                             std::int64_t otherwise) {
  const auto index = def.index_of(name);
  if (!index || !is_per_sweep(def.params[*index])) return otherwise;
  return std::get<std::int64_t>(trial.values[*index]);
}

std::string computed_text(const WorkloadDef& def, const Trial& trial) {
  const auto computed = def.computed_param();
  return computed ? def.params[*computed].text(trial.values[*computed]) : "";
}

}  // namespace

std::vector<TrialRow> insert_trials(StoreState& state, std::int64_t sweep, const NewSweep& request,
                                    const WorkloadDef& def) {
  Connection& connection = state.connection;
  ParamTable params(connection, def);
  OlderTrials older_trials(state, request, def);
  std::vector<TrialRow> rows;
  rows.reserve(request.trials.size());
  for (const NewTrial& wanted : request.trials) {
    const std::int64_t repeats = per_sweep_value(def, wanted.trial, "repeats", 1);
    const auto older = older_trials.find(wanted, repeats);
    TrialRow trial = older ? TrialRow{} : find_or_insert_trial(connection, def, params, wanted);
    if (older) {
      trial.row = *older;
      trial.submitted_code = computed_text(def, wanted.trial);
    }
    trial.priority = per_sweep_value(def, wanted.trial, "priority", 0);
    trial.repeats = repeats;
    trial.timeout = Duration{per_sweep_value(def, wanted.trial, "timeout", 0)};
    Query(connection,
          "INSERT INTO sweep_trial (sweep, trial, position, priority, timeout_ns, repeats, "
          "submitted_code, pool) VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
        .bind_all(sweep, trial.row, static_cast<std::int64_t>(rows.size()), trial.priority,
                  trial.timeout.ns, trial.repeats, trial.submitted_code, pool_of(def, wanted.trial))
        .run();
    rows.push_back(trial);
  }
  return rows;
}

namespace {

// The trials of the request are rows of values in the order of its own definition.
bool same_params(const WorkloadDef& a, const WorkloadDef& b) {
  return std::ranges::equal(a.params, b.params, [](const ParamDef& x, const ParamDef& y) {
    return x.name == y.name && x.type == y.type && x.default_value == y.default_value;
  });
}

}  // namespace

Result<WorkloadDef> declare_program(StoreState& state, const WorkloadDef& def) {
  auto stored = store_program(state.connection, state.catalog, declaration_of(def));
  if (!stored || same_params(*stored, def)) return stored;
  return Error{ErrorCode::kFailedPrecondition,
               fmt::format("program `{}` was declared by another sweep at the same moment; submit "
                           "this one again",
                           def.name)};
}

}  // namespace sweepd
