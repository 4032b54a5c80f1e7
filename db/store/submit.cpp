#include <fmt/format.h>

#include <optional>

#include "db/store/enqueue.h"
#include "db/store/holds.h"
#include "db/store/insert_trials.h"
#include "db/store/state.h"

namespace sweepd {

Result<SubmitReceipt> Store::submit(const NewSweep& request, const WorkloadDef& def) {
  Connection& connection = state_->connection;
  const std::string what = fmt::format("submitting sweep `{}`", request.sweep.name);
  std::optional<WorkloadDef> program;
  auto submitted = state_->transact(what, [&]() -> Result<SubmitReceipt> {
    if (request.sweep.program) {
      auto declared = declare_program(*state_, def);
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
    Enqueuer enqueuer(*state_, sweep, def, request.reuse, request.machines, request.submitted,
                      receipt);
    for (const Slot& slot : slots_in_order(request.sweep, request.id, repeats)) {
      const TrialRow& row = trials[slot.trial];
      const NewTrial& trial = request.trials[slot.trial];
      const Enqueuer::Wanted wanted{row.row,   trial.key,   trial.base_key, def.name,   trial.trial,
                                    slot.pass, slot.repeat, row.priority,   row.timeout};
      const std::int64_t reused = receipt.attempts_reused;
      if (!row.is_new && enqueuer.use_existing(wanted)) {
        // Only the output of timings is read.
        const bool is_read = slot.pass == Pass::kTiming && receipt.attempts_reused > reused;
        if (is_read && row.reads_differently) ++receipt.attempts_to_reread;
        continue;
      }
      if (!row.is_new || !trial.base_key.empty()) enqueuer.note_change(wanted);
      enqueuer.add(wanted, row.is_new ? Enqueuer::Siblings::kNone : Enqueuer::Siblings::kPossible);
    }
    add_holds(connection, sweep, receipt);
    return receipt;
  });
  // Once it is stored, other threads may read its columns.
  if (submitted && program) state_->catalog.programs->set(std::move(*program));
  return submitted;
}

}  // namespace sweepd
