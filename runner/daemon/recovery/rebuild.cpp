#include "runner/daemon/recovery/rebuild.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "runner/daemon/attempts/judge_attempt.h"
#include "runner/daemon/recovery/found_sweep.h"
#include "runner/exec/found_rank.h"
#include "runner/wire/deletion.h"

namespace sweepd {

namespace fs = std::filesystem;

namespace {

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    entries.push_back(at->path());
  }
  std::ranges::sort(entries);
  return entries;
}

// A running attempt would count as crashed.
Result<void> check_is_over(const fs::path& folder) {
  for (const fs::path& file : entries_of(folder)) {
    if (!file.filename().string().starts_with("pid.")) continue;
    const FoundRank rank = look_at_place(file);
    if (rank.state != FoundRank::State::kAlive) continue;
    return Error{ErrorCode::kFailedPrecondition,
                 fmt::format("attempt {} still runs, as process {}; wait until it has ended",
                             folder.filename().string(), rank.pid)};
  }
  return {};
}

// A disk that fails ends the recovery. Any other error is about one file, which may contain
// anything: it is named, and the others are restored.
bool ends_recovery(const Error& error) {
  return error.code == ErrorCode::kIo || error.code == ErrorCode::kUnavailable;
}

// One recovery. Each step uses the results of the one before.
class Rebuilding {
 public:
  Rebuilding(Store& store, const Catalog& catalog) : store_(store), catalog_(catalog) {}

  // The unfinished deletion of a dead daemon, which a user had requested.
  void leave_out(const std::vector<PendingDeletion>& deletions) {
    for (const PendingDeletion& deletion : deletions) {
      deleted_sweeps_.insert(deletion.sweeps.begin(), deletion.sweeps.end());
      deleted_attempts_.insert(deletion.attempts.begin(), deletion.attempts.end());
    }
  }

  Result<void> read_attempts(const fs::path& runs) {
    for (const fs::path& folder : entries_of(runs)) {
      std::error_code ignored;
      if (!is_id(folder.filename().string()) || !fs::is_directory(folder, ignored)) continue;
      if (deleted_attempts_.contains(folder.filename().string())) {
        ++rebuilt_.deleted;
        continue;
      }
      if (auto over = check_is_over(folder); !over) return over;
      auto found = read_attempt(folder, catalog_);
      if (!found) {
        name_unreadable(folder, found.error());
      } else if (!found->began) {
        ++rebuilt_.not_begun;
      } else {
        if (!found->torn.empty()) rebuilt_.unreadable.emplace_back(folder.string(), found->torn);
        attempts_.push_back(std::move(*found));
      }
    }
    return {};
  }

  Result<void> restore_sweeps(const fs::path& folder) {
    std::vector<std::pair<fs::path, Submission>> submissions;
    for (const fs::path& file : submission_files(folder)) {
      auto submission = read_submission(file);
      if (submission && deleted_sweeps_.contains(submission->id)) continue;
      if (submission) {
        submissions.emplace_back(file, std::move(*submission));
      } else {
        name_unreadable(file, submission.error());
      }
    }
    std::ranges::sort(submissions, {}, [](const auto& one) { return one.second.submitted.ns; });
    for (const auto& [file, submission] : submissions) {
      if (sweeps_.contains(submission.id)) {  // pending, and not
        name_unreadable(file, {ErrorCode::kAlreadyExists, "another file has this sweep"});
        continue;
      }
      auto sweep = sweep_of(submission, catalog_, attempts_);
      auto added = sweep ? add(std::move(*sweep)) : Result<void>(sweep.error());
      if (added) continue;
      if (ends_recovery(added.error())) return added;
      name_unreadable(file, added.error());
    }
    return {};
  }

  // For attempts that fit no submission.
  Result<void> restore_guessed() {
    std::map<std::pair<SweepId, std::string>, std::vector<const FoundAttempt*>> groups;
    for (const FoundAttempt& one : attempts_) {
      if (fits_submission(one)) continue;
      const SweepId id = one.attempt.sweep ? one.attempt.sweep->id : "";
      groups[{id, one.attempt.workload}].push_back(&one);
    }
    for (const auto& [of, group] : groups) {
      FoundSweep sweep = guess_sweep(group, catalog_);
      if (sweeps_.contains(sweep.request.id)) sweep.request.id = random_id();
      const SweepId id = sweep.request.id;
      const bool is_sentinel = !sweep.sentinel_of.empty();
      const std::string name = sweep.request.sweep.name;
      auto added = add(std::move(sweep));
      if (!added && ends_recovery(added.error())) return added;
      if (added && !is_sentinel) rebuilt_.guessed.push_back(name);
      for (const FoundAttempt* one : group) {
        if (added) {
          sweep_of_[one->attempt.id] = id;
        } else {
          name_unreadable(one->folder.path(), added.error());
        }
      }
    }
    return {};
  }

  // In the order in which they ended: a verdict depends on the results before it.
  Result<void> restore_attempts() {
    std::vector<std::pair<std::int64_t, const FoundAttempt*>> order;
    for (const FoundAttempt& one : attempts_) {
      if (!sweep_of_.contains(one.attempt.id)) continue;  // and the reason was reported
      order.emplace_back(record_of(one, 0).ended.ns, &one);
    }
    std::ranges::sort(order);
    for (const auto& [ended, one] : order) {
      auto restored = restore(*one);
      if (restored) continue;
      if (ends_recovery(restored.error())) return restored;
      name_unreadable(one->folder.path(), restored.error());
    }
    return {};
  }

  Result<void> restore_answers() {
    std::vector<std::int64_t> open = std::move(unfinished_);
    for (const auto& [id, sweep] : sweeps_) {
      if (!sweep.submitted) continue;
      auto left = store_.restore_answers(sweep.request, *sweep.def);
      if (!left) return left.error();
      const auto queued = static_cast<std::int64_t>(left->queued.size());
      (sweep.def->analytic ? rebuilt_.to_compute : rebuilt_.unmeasured) += queued;
      if (sweep.def->analytic) continue;
      for (const OpenAttempt& attempt : left->queued) open.push_back(attempt.row);
    }
    const WallTime now = now_wall();
    for (const OpenAttempt& oom : ooms_) {
      if (auto left = store_.skip_beyond(oom, now); !left) return left.error();
    }
    return store_.restore_unmeasured(open, "not found when the database was recovered", now);
  }

  Rebuilt take_result() { return std::move(rebuilt_); }

 private:
  void name_unreadable(const fs::path& path, const Error& error) {
    rebuilt_.unreadable.emplace_back(path.string(), error.message);
  }

  bool fits_submission(const FoundAttempt& one) {
    if (!one.attempt.sweep) return false;
    const SweepId& id = one.attempt.sweep->id;
    const auto keys = keys_.find(id);
    if (keys == keys_.end() || !keys->second.contains(one.attempt.trial_key)) return false;
    sweep_of_[one.attempt.id] = id;
    return true;
  }

  Result<void> add(FoundSweep sweep) {
    auto stored = store_.restore_sweep(sweep.request, *sweep.def, sweep.sentinel_of);
    if (!stored) return stored;
    ++rebuilt_.sweeps;
    std::set<TrialKey>& keys = keys_[sweep.request.id];
    for (const NewTrial& trial : sweep.request.trials) keys.insert(trial.key);
    trials_.insert(keys.begin(), keys.end());
    rebuilt_.trials = static_cast<std::int64_t>(trials_.size());
    sweeps_.emplace(sweep.request.id, std::move(sweep));
    return {};
  }

  Result<void> restore(const FoundAttempt& found) {
    const auto row = store_.restore_attempt(found.attempt, found.base_key,
                                            sweep_of_.at(found.attempt.id), *found.def);
    if (!row) return row.error();
    AttemptRecord record = record_of(found, *row);
    OpenAttempt attempt = found.attempt;
    attempt.row = *row;
    const auto world_size = static_cast<std::int64_t>(attempt.lease.ranks.size());
    record.judgement = judge_attempt(store_, attempt, record, world_size);
    if (auto stored = store_.finish(record); !stored) {
      unfinished_.push_back(*row);  // or the next daemon would measure it again
      return stored.error();
    }
    record_measured_peak(store_, attempt, record);
    const Outcome outcome = outcome_of(record.ending);
    if (outcome == Outcome::kCrashed && !found.ending) ++rebuilt_.untold;
    if (outcome == Outcome::kOom) ooms_.push_back(std::move(attempt));
    ++rebuilt_.attempts;
    return {};
  }

  Store& store_;
  const Catalog& catalog_;
  std::vector<FoundAttempt> attempts_;
  std::map<SweepId, FoundSweep> sweeps_;
  std::map<SweepId, std::set<TrialKey>> keys_;
  std::map<AttemptId, SweepId> sweep_of_;
  std::set<TrialKey> trials_;
  std::set<SweepId> deleted_sweeps_;
  std::set<AttemptId> deleted_attempts_;
  std::vector<OpenAttempt> ooms_;
  std::vector<std::int64_t> unfinished_;  // rows of attempts whose result could not be stored
  Rebuilt rebuilt_;
};

}  // namespace

Result<Rebuilt> rebuild_database(const fs::path& file, const RebuildFrom& from,
                                 const Catalog& catalog, const HostInfo& host) {
  auto store = Store::open(file, catalog, host);
  if (!store) return store.error();
  Rebuilding rebuilding(**store, catalog);
  rebuilding.leave_out(pending_deletions(from.sweeps));
  for (const fs::path& runs : from.runs) {
    if (auto read = rebuilding.read_attempts(runs); !read) return read.error();
  }
  if (auto done = rebuilding.restore_sweeps(from.sweeps); !done) return done.error();
  if (auto done = rebuilding.restore_guessed(); !done) return done.error();
  if (auto done = rebuilding.restore_attempts(); !done) return done.error();
  if (auto done = rebuilding.restore_answers(); !done) return done.error();
  if (auto done = (*store)->checkpoint(); !done) return done.error();
  return rebuilding.take_result();
}

}  // namespace sweepd
