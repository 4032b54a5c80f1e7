#include <fmt/format.h>

#include "db/store/enqueue.h"
#include "db/store/insert_sweep.h"
#include "db/store/older_trials.h"
#include "db/store/state.h"

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

std::vector<TrialRow> insert_trials(StoreState& state, std::int64_t sweep, const NewSweep& request,
                                    const WorkloadDef& def) {
  Connection& connection = state.connection;
  ParamTable params(connection, def);
  OlderTrials older_trials(state, request);
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
          "submitted_code) VALUES (?, ?, ?, ?, ?, ?, ?)")
        .bind_all(sweep, trial.row, static_cast<std::int64_t>(rows.size()), trial.priority,
                  trial.timeout.ns, trial.repeats, trial.submitted_code)
        .run();
    rows.push_back(trial);
  }
  return rows;
}

}  // namespace

Result<SubmitReceipt> Store::submit(const NewSweep& request, const WorkloadDef& def) {
  Connection& connection = state_->connection;
  const std::string what = fmt::format("submitting sweep `{}`", request.sweep.name);
  return state_->transact(what, [&]() -> Result<SubmitReceipt> {
    if (sweep_row(connection, request.id)) {
      return Error{ErrorCode::kAlreadyExists,
                   fmt::format("sweep `{}` is stored already", request.id)};
    }
    SubmitReceipt receipt;
    const std::int64_t sweep = insert_sweep(connection, request, def);
    const auto trials = insert_trials(*state_, sweep, request, def);
    receipt.trials = static_cast<std::int64_t>(trials.size());
    std::vector<std::int64_t> repeats;
    for (const TrialRow& trial : trials) repeats.push_back(trial.repeats);
    Enqueuer enqueuer(*state_, sweep, def, request.reuse, request.machines, receipt);
    for (const Slot& slot : slots_in_order(request.sweep, request.id, repeats)) {
      const TrialRow& row = trials[slot.trial];
      const NewTrial& trial = request.trials[slot.trial];
      const Enqueuer::Wanted wanted{row.row,   trial.key,   trial.base_key, def.name,   trial.trial,
                                    slot.pass, slot.repeat, row.priority,   row.timeout};
      if (!row.is_new && enqueuer.use_existing(wanted)) continue;
      if (!row.is_new || !trial.base_key.empty()) enqueuer.note_change(wanted);
      enqueuer.add(wanted, row.is_new ? Enqueuer::Siblings::kNone : Enqueuer::Siblings::kPossible);
    }
    return receipt;
  });
}

}  // namespace sweepd
