#include <fmt/format.h>

#include "db/base/sweep_axes.h"
#include "db/store/enqueue.h"
#include "db/store/insert_tables.h"
#include "db/store/older_trials.h"
#include "db/store/state.h"

namespace sweepd {
namespace {

std::int64_t insert_sweep(Connection& connection, const NewSweep& request, const WorkloadDef& def) {
  const Sweep& sweep = request.sweep;
  Query(connection,
        "INSERT INTO sweep (uid, name, description, workload, trial_order, submitted_ns, source) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)")
      .bind_all(request.id, sweep.name, sweep.description, sweep.workload, name_of(sweep.order),
                request.submitted.ns, sweep.source)
      .run();
  const std::int64_t row = connection.database().getLastInsertRowid();
  for (std::size_t i = 0; i < sweep.passes.size(); ++i) {
    Query(connection, "INSERT INTO sweep_pass (sweep, position, pass) VALUES (?, ?, ?)")
        .bind_all(row, static_cast<std::int64_t>(i), name_of(sweep.passes[i]))
        .run();
  }
  insert_axes(connection, row, def, axes_of(sweep));
  insert_tables(connection, row, sweep.tables);
  return row;
}

struct TrialRow {
  std::int64_t row = 0;
  bool is_new = false;
  std::int64_t priority = 0, repeats = 1;
  Duration timeout{0};
  std::optional<std::string> submitted_code;  // as in sweep_trial
};

TrialRow find_or_insert_trial(Connection& connection, const WorkloadDef& def, ParamTable& params,
                              const NewTrial& wanted) {
  TrialRow trial;
  {
    Query known(connection, "SELECT id FROM trial WHERE key = ?");
    known.bind(wanted.key);
    if (known.next()) {
      trial.row = known.integer(0);
      return trial;
    }
  }
  const auto base =
      wanted.base_key.empty() ? std::nullopt : std::optional<std::string>(wanted.base_key);
  Query(connection, "INSERT INTO trial (key, workload, version, base_key) VALUES (?, ?, ?, ?)")
      .bind_all(wanted.key, def.name, def.version, base)
      .run();
  trial.row = connection.database().getLastInsertRowid();
  trial.is_new = true;
  params.insert(trial.row, wanted.trial);
  return trial;
}

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
