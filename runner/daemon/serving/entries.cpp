#include "runner/daemon/serving/entries.h"

#include <algorithm>

namespace sweepd {

rpc::Counts counts_of(const Progress& progress) {
  return {.total = progress.total,
          .queued = progress.queued,
          .running = progress.running,
          .ended = progress.ended(),
          .by_outcome = progress.by_outcome};
}

rpc::SweepEntry entry_of(const SweepRow& sweep) {
  return {.id = sweep.id,
          .name = sweep.name,
          .description = sweep.description,
          .workload = sweep.workload,
          .submitted = sweep.submitted,
          .cancelled = sweep.cancelled,
          .paused = sweep.paused,
          .trials = sweep.trials,
          .counts = counts_of(sweep.progress)};
}

rpc::AttemptEntry entry_of(const AttemptRow& attempt) {
  rpc::AttemptEntry entry;
  entry.id = attempt.id;
  entry.trial = attempt.trial_key;
  entry.label = attempt.label;
  entry.workload = attempt.workload;
  entry.pass = name_of(attempt.pass);
  entry.repeat = attempt.repeat;
  entry.state = attempt.outcome   ? name_of(*attempt.outcome)
                : attempt.started ? "running"
                                  : "queued";
  entry.pool = attempt.pool;
  entry.detail = attempt.detail;
  entry.verdict = attempt.verdict;
  entry.verdict_reasons = attempt.verdict_reasons;
  entry.started = attempt.started;
  entry.ended = attempt.ended;
  return entry;
}

rpc::RunningEntry entry_of(const RunningAttempt& run) {
  rpc::RunningEntry entry;
  entry.attempt = run.id;
  entry.label = run.label;
  entry.pass = name_of(run.pass);
  entry.phase = run.phase;
  entry.elapsed = run.elapsed;
  entry.step = run.step;
  entry.pool = run.pool;
  if (run.place) {
    entry.job = run.place->allocation.id;
    entry.nodes = run.place->nodes;
  }
  return entry;
}

rpc::GivenEntry entry_of(const GivenAttempt& given) {
  rpc::GivenEntry entry;
  entry.attempt = given.id;
  entry.label = given.label;
  entry.pass = name_of(given.pass);
  entry.pool = given.pool;
  entry.waited = given.waited;
  if (given.place) {
    const PoolAllocation& allocation = given.place->allocation;
    entry.job = allocation.id;
    entry.state = allocation.state;
    entry.reason = allocation.reason;
    entry.starts = allocation.starts;
  }
  return entry;
}

rpc::EndedEntry entry_of(const EndedAttempt& attempt) {
  rpc::EndedEntry entry;
  entry.attempt = attempt.id;
  entry.label = attempt.label;
  entry.pass = name_of(attempt.pass);
  entry.outcome = name_of(outcome_of(attempt.ending));
  entry.detail = describe(attempt.ending);
  return entry;
}

rpc::EndedEntry ended_entry_of(const AttemptRow& attempt) {
  rpc::EndedEntry entry;
  entry.attempt = attempt.id;
  entry.label = attempt.label;
  entry.pass = name_of(attempt.pass);
  if (attempt.outcome) entry.outcome = name_of(*attempt.outcome);
  entry.detail = attempt.detail;
  return entry;
}

}  // namespace sweepd
