#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "db/base/program_tables.h"
#include "db/store/enqueue.h"
#include "db/store/insert_sweep.h"
#include "db/store/older_trials.h"
#include "db/store/state.h"
#include "runner/model/program.h"

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

// The trials of the request are rows of values in the order of its own definition.
bool same_params(const WorkloadDef& a, const WorkloadDef& b) {
  return std::ranges::equal(a.params, b.params, [](const ParamDef& x, const ParamDef& y) {
    return x.name == y.name && x.type == y.type && x.default_value == y.default_value;
  });
}

// Stores the program that the sweep declares.
Result<WorkloadDef> declare(StoreState& state, const WorkloadDef& def) {
  auto stored = store_program(state.connection, state.catalog, declaration_of(def));
  if (!stored || same_params(*stored, def)) return stored;
  return Error{ErrorCode::kFailedPrecondition,
               fmt::format("program `{}` was declared by another sweep at the same moment; submit "
                           "this one again",
                           def.name)};
}

}  // namespace

Result<SubmitReceipt> Store::submit(const NewSweep& request, const WorkloadDef& def) {
  Connection& connection = state_->connection;
  const std::string what = fmt::format("submitting sweep `{}`", request.sweep.name);
  std::optional<WorkloadDef> program;
  auto submitted = state_->transact(what, [&]() -> Result<SubmitReceipt> {
    if (request.sweep.program) {
      auto declared = declare(*state_, def);
      if (!declared) return declared.error();
      program = std::move(*declared);
    }
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
  // Once it is stored, other threads may read its columns.
  if (submitted && program) state_->catalog.programs->set(std::move(*program));
  return submitted;
}

}  // namespace sweepd
