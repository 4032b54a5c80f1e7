#include "runner/daemon/attempts/attempt_ends.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <filesystem>
#include <utility>

#include "runner/daemon/attempts/item_of.h"
#include "runner/model/attempt/crash_limit.h"

namespace sweepd {
namespace {

// How a permanently lost attempt ends, after this many earlier losses.
Ending ending_of(const AttemptLost& event, int losses) {
  if (!event.again) return event.ending;
  const std::string& what = event.what.empty() ? describe(event.ending) : event.what;
  return {Failed{fmt::format("its pool took it away {} times; the last time: {}", losses + 1, what),
                 ""}};
}

}  // namespace

AttemptEnds::AttemptEnds(const Parts& parts, const DispatcherTiming& timing, Hooks hooks)
    : parts_(parts),
      timing_(timing),
      hooks_(std::move(hooks)),
      journals_(parts.io, parts.pools, parts.folders, timing, journal_hooks()),
      results_(parts.writer, parts.side, result_hooks()) {}

JournalReader::Hooks AttemptEnds::journal_hooks() {
  JournalReader::Hooks hooks;
  hooks.read = [this](const auto& run, const auto& read) { decide(run, read); };
  hooks.free_lease = [this](std::int64_t row) {
    parts_.scheduler.finished(row);
    hooks_.lease_is_free();
  };
  hooks.changed = [this] { hooks_.changed(); };
  hooks.keeps_folder = [this] { return hooks_.keeps_folder(); };
  return hooks;
}

Starter::Hooks AttemptEnds::start_hooks() {
  Starter::Hooks hooks;
  hooks.failed = [this](OpenAttempt attempt, const Error& error) {
    parts_.scheduler.finished(attempt.row);
    if (error.code == ErrorCode::kFailedPrecondition) {
      end_without_process(attempt, {Skipped{error.message}});
      return hooks_.lease_is_free();
    }
    const bool too_many = error.code == ErrorCode::kResourceExhausted;
    start_failed(std::move(attempt), error.message,
                 too_many ? Blame::kPerhapsTheAttempt : Blame::kMachine);
  };
  hooks.cancelled = [this](const OpenAttempt& attempt) {
    parts_.scheduler.finished(attempt.row);
    end_without_process(attempt, {Cancelled{"cancelled"}});
    hooks_.lease_is_free();
  };
  hooks.withdrawn = [this](OpenAttempt attempt) {
    parts_.scheduler.finished(attempt.row);
    queue_again(std::move(attempt));
    hooks_.lease_is_free();
  };
  hooks.not_recorded = [this](OpenAttempt attempt, const Error& error) {
    StartBackoff& gate = gate_of(attempt);
    parts_.queue.put_back(std::move(attempt));
    gate.close_because("a start cannot be recorded: " + error.message);
    hooks_.lease_is_free();
  };
  hooks.ended = [this](std::int64_t row) {
    parts_.scheduler.finished(row);
    parts_.queue.end_hold(row);
    hooks_.lease_is_free();
  };
  return hooks;
}

void AttemptEnds::end_run(const std::shared_ptr<Run>& run) {
  if (run->incomplete && !run->stop) {
    parts_.scheduler.finished(run->attempt.row);
    return lose_start(std::move(run->attempt));
  }
  journals_.read(run, pool_of_attempt(run->attempt));
}

// The journals decide whether it was done, also if its pool took it away.
void AttemptEnds::decide(const std::shared_ptr<Run>& run,
                         const std::shared_ptr<ReadAttempt>& read) {
  OpenAttempt& attempt = run->attempt;
  AttemptRecord& record = read->record;
  const bool may_run_again = !run->stop && attempt.losses < kMostLosses;
  if (run->lost && outcome_of(record.ending) != Outcome::kDone) {
    if (run->lost->again && may_run_again) {
      parts_.scheduler.finished(attempt.row);
      return lose(std::move(attempt), *run->lost, /*cancelled=*/false);
    }
    if (!run->stop) record.ending = ending_of(*run->lost, attempt.losses);
  } else if (read->blame) {
    parts_.scheduler.finished(attempt.row);
    return start_failed(std::move(attempt), describe(record.ending), *read->blame);
  } else if (pool_of_attempt(attempt) == 0 && outcome_of(record.ending) != Outcome::kDone) {
    // Elsewhere the cluster's manager is responsible for its nodes.
    const std::string fault = parts_.devices.add_faults(attempt, record);
    if (!fault.empty()) hooks_.gpu_is_faulty();
    if (!fault.empty() && may_run_again && parts_.devices.leaves_gpus_for(attempt)) {
      parts_.scheduler.finished(attempt.row);
      hooks_.lease_is_free();
      return begin_again(std::move(attempt), fault);
    }
  }
  if (!run->lost || !run->lost->next_too) gate_of(attempt).has_measured(attempt.row);
  store(attempt, std::shared_ptr<AttemptRecord>(read, &record));
}

void AttemptEnds::end_without_process(const OpenAttempt& attempt, Ending ending) {
  const auto record = std::make_shared<AttemptRecord>();
  record->row = attempt.row;
  record->ending = std::move(ending);
  record->ended = now_wall();
  store(attempt, record);
}

void AttemptEnds::store(const OpenAttempt& attempt, std::shared_ptr<AttemptRecord> record) {
  // One of a workload that this build lacks belongs to no pool, and has no folder.
  if (parts_.catalog.find(attempt.workload) == nullptr) {
    return results_.add(attempt, std::move(record), AttemptFolder(std::filesystem::path()),
                        nullptr);
  }
  const PoolIndex pool = pool_of_attempt(attempt);
  const PoolUse& use = parts_.pools.at(pool);
  PoolFolder* shared = use.is_cluster() ? parts_.folders.at(pool).get() : nullptr;
  results_.add(attempt, std::move(record), AttemptFolder(use.runs / attempt.id), shared);
}

// One that is cancelled later is found in the queue by `Dispatcher::stop`, or has ended in the
// database, which its next start reports.
void AttemptEnds::queue_again(OpenAttempt attempt) {
  if (cancelled_.erase(attempt.row) != 0) {
    return end_without_process(attempt, {Cancelled{"cancelled"}});
  }
  spdlog::info("attempt {} measured nothing; it is queued again", attempt.id);
  const PoolIndex pool = pool_of_attempt(attempt);
  parts_.folders.at(pool)->run([folder = parts_.pools.at(pool).runs / attempt.id] {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  });
  // The writer does this before any later start of the attempt. If it fails, the next daemon queues
  // the attempt again, because no rank has taken its place.
  parts_.writer.run([row = attempt.row](Store& store) { return store.mark_queued(row); },
                    [id = attempt.id](const Result<void>& marked) {
                      if (!marked) spdlog::error("attempt {}: {}", id, marked.error().message);
                    });
  attempt.started.reset();
  attempt.given.reset();
  attempt.lease = {};
  parts_.queue.enqueue({std::move(attempt)});
}

// The machine is at fault: the worker is being built, the disk is full, `runs` cannot be written.
// The attempt goes back to its place in the queue, nothing starts for a while, and clients see the
// reason.
void AttemptEnds::start_failed(OpenAttempt attempt, const std::string& why, Blame blame) {
  StartBackoff& gate = gate_of(attempt);
  if (blame == Blame::kPerhapsTheAttempt && gate.gives_up_on(attempt.row)) {
    end_without_process(attempt, {Failed{why, ""}});
    return hooks_.lease_is_free();
  }
  queue_again(std::move(attempt));
  gate.close_because(why);
}

void AttemptEnds::lose(OpenAttempt attempt, const AttemptLost& event, bool cancelled) {
  hooks_.lease_is_free();
  if (event.next_too) gate_of(attempt).close_after_end(describe(event.ending));
  if (cancelled) return end_without_process(attempt, {Cancelled{"cancelled"}});
  if (!event.again || attempt.losses >= kMostLosses) {
    return end_without_process(attempt, ending_of(event, attempt.losses));
  }
  begin_again(std::move(attempt), event.what.empty() ? describe(event.ending) : event.what);
}

void AttemptEnds::lose_start(OpenAttempt attempt) {
  if (attempt.losses + 1 >= kMostLostStarts) {
    return end_without_process(
        attempt, {Failed{fmt::format("the daemon died {} times while it started this attempt",
                                     attempt.losses + 1),
                         ""}});
  }
  begin_again(std::move(attempt), "the daemon died while it started this attempt");
}

void AttemptEnds::begin_again(OpenAttempt attempt, const std::string& what) {
  spdlog::warn("attempt {} is lost: {}", attempt.id, what);
  parts_.writer.run([row = attempt.row, what,
                     now = now_wall()](Store& store) { return store.record_loss(row, now, what); },
                    [id = attempt.id](const Result<void>& recorded) {
                      if (!recorded) spdlog::error("attempt {}: {}", id, recorded.error().message);
                    });
  ++attempt.losses;
  queue_again(std::move(attempt));
}

// If this fails, or the daemon dies before it, they run, and end like the attempt because of which
// they would be skipped. One that is about to start cannot be marked started then, and does not
// start.
void AttemptEnds::skip_queued(const OpenAttempt& because_of, SkipQueued which) {
  using SkippedAttempts = std::vector<Store::SkippedAttempt>;
  const auto work = [because_of, which](Store& store) {
    return (store.*which)(because_of, now_wall());
  };
  parts_.writer.run(work, [this, because_of](const Result<SkippedAttempts>& left) {
    if (!left) return spdlog::error("{}", left.error().message);
    if (left->empty()) return;
    spdlog::info("{} attempts left out because of {}: {}", left->size(), because_of.id,
                 describe(left->front().ending));
    std::vector<std::int64_t> rows;
    for (const Store::SkippedAttempt& one : *left) {
      OpenAttempt attempt = because_of;
      attempt.id = one.id;
      attempt.trial_key = one.trial_key;
      attempt.trial = one.trial;
      rows.push_back(one.row);
      hooks_.ended(attempt, one.ending);
    }
    parts_.queue.forget(std::move(rows));
  });
}

ResultQueue::Hooks AttemptEnds::result_hooks() {
  ResultQueue::Hooks hooks;
  hooks.tried = [this](const OpenAttempt& attempt) {
    parts_.scheduler.finished(attempt.row);
    hooks_.lease_is_free();
  };
  hooks.refused = [this](const OpenAttempt& attempt, const std::string& why) {
    spdlog::error("cannot store attempt {}: {}; its files are kept, trying again in {}", attempt.id,
                  why, to_human(timing_.store_retry));
    refuse_results(why);
  };
  hooks.stored = [this](const OpenAttempt& attempt, const Ending& ending, bool is_new) {
    cancelled_.erase(attempt.row);
    if (parts_.catalog.find(attempt.workload) != nullptr) parts_.sentinels.ended(attempt);
    if (!is_new) {
      set_trouble("");
      parts_.queue.end_hold(attempt.row);
      return spdlog::info("attempt {} was stored before", attempt.id);
    }
    const std::string why = describe(ending);
    spdlog::info("attempt {} ended: {}{}{}", attempt.id, name_of(outcome_of(ending)),
                 why.empty() ? "" : ": ", why);
    note_stored(attempt, ending);
    if (outcome_of(ending) == Outcome::kOom) skip_queued(attempt, &Store::skip_beyond);
    if (killed_its_worker(ending)) skip_queued(attempt, &Store::skip_killer);
  };
  hooks.recovered = [this] { parts_.gates.resume_all(); };
  return hooks;
}

void AttemptEnds::note_stored(const OpenAttempt& attempt, const Ending& ending) {
  set_trouble("");
  parts_.queue.end_hold(attempt.row);
  hooks_.ended(attempt, ending);
}

void AttemptEnds::refuse_results(const std::string& why) {
  set_trouble("results cannot be stored: " + why);
  parts_.gates.close_all_for(timing_.store_retry);
}

bool AttemptEnds::store_refused() {
  if (!results_.is_refused()) return false;
  results_.store_next();
  return true;
}

// Watchers must see why nothing continues.
void AttemptEnds::set_trouble(std::string why) {
  if (why == trouble_) return;
  trouble_ = std::move(why);
  hooks_.changed();
}

}  // namespace sweepd
