// Sweeps and attempts as replies list them. JSON follows from the descriptions
// (runner/wire/message.h).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runner/base/clock.h"
#include "runner/base/ids.h"
#include "runner/model/sweep/trial.h"
#include "runner/model/vocabulary/outcome.h"
#include "runner/model/vocabulary/pool_name.h"

namespace sweepd {

// The attempts of a sweep by state and outcome, including the reused ones.
struct AttemptCounts {
  static constexpr std::string_view kTitle = "counts";
  std::int64_t total = 0, queued = 0, running = 0, ended = 0;
  std::array<std::int64_t, kOutcomes.size()> by_outcome{};

  std::int64_t of(Outcome outcome) const { return by_outcome[static_cast<std::size_t>(outcome)]; }
  std::int64_t done() const { return of(Outcome::kDone); }
  // The outcomes other than `done` that occurred, with their numbers.
  std::vector<std::pair<std::string_view, std::int64_t>> problems() const {
    std::vector<std::pair<std::string_view, std::int64_t>> list;
    for (const OutcomeInfo& info : kOutcomes) {
      const std::int64_t n = of(info.outcome);
      if (n > 0 && info.outcome != Outcome::kDone) list.emplace_back(info.word, n);
    }
    return list;
  }

  static void visit(auto& self, auto&& field) {
    field("total", self.total, "");
    field("queued", self.queued, "");
    field("running", self.running, "");
    for (const OutcomeInfo& info : kOutcomes) {
      field(info.word, self.by_outcome[static_cast<std::size_t>(info.outcome)], "");
    }
    field("ended", self.ended, "the sum of the outcomes");
  }
};

struct SweepRow {
  static constexpr std::string_view kTitle = "a sweep";
  SweepId id;
  std::string name, description, workload;
  WallTime submitted;
  bool cancelled = false;
  std::optional<WallTime> paused;
  std::int64_t trials = 0;
  AttemptCounts counts;
  static void visit(auto& self, auto&& field) {
    field("id", self.id, "");
    field("name", self.name, "");
    field("description", self.description, "");
    field("workload", self.workload, "");
    field("submitted_ns", self.submitted, "since 1970");
    field("cancelled", self.cancelled, "");
    field("paused_ns", self.paused, "since 1970; only while it is paused");
    field("trials", self.trials, "");
    field("counts", self.counts, "of attempts");
  }
};

struct AttemptRow {
  static constexpr std::string_view kTitle = "an attempt";
  std::int64_t row = 0;  // of the database
  AttemptId id;
  TrialKey trial_key;
  std::string label, workload;
  Pass pass = Pass::kTiming;
  int repeat = 0;
  std::string state, detail;
  std::string verdict, verdict_reasons;  // "" if it was not judged
  std::string pool{kLocalPool};
  std::optional<WallTime> started, ended;

  std::optional<Outcome> outcome() const { return find_outcome(state); }

  static void visit(auto& self, auto&& field) {
    field("id", self.id, "");
    field("trial", self.trial_key, "its key");
    field("label", self.label,
          "the axes of its sweep, then the parameters that differ from their defaults");
    field("workload", self.workload, "");
    field("pass", self.pass, "");
    field("repeat", self.repeat, "");
    field("state", self.state, "`queued`, `running` or an outcome");
    field("pool", self.pool, "where it runs");
    field("detail", self.detail, "why it ended so, or why it waits");
    field("verdict", self.verdict, "");
    field("verdict_reasons", self.verdict_reasons, "");
    field("started_ns", self.started, "since 1970");
    field("ended_ns", self.ended, "since 1970");
  }
};

struct RunningAttempt {
  static constexpr std::string_view kTitle = "a running attempt";
  AttemptId id;
  TrialKey trial_key;
  std::string label;
  Pass pass = Pass::kTiming;
  Duration elapsed{0};
  std::int64_t step = -1;
  std::string phase;
  std::string pool{kLocalPool};
  std::string job, nodes;  // in a cluster, if known
  static void visit(auto& self, auto&& field) {
    field("attempt", self.id, "its id");
    field("label", self.label, "");
    field("pass", self.pass, "");
    field("elapsed_ns", self.elapsed, "");
    field("step", self.step, "-1 before the first");
    field("phase", self.phase, "");
    field("pool", self.pool, "");
    field("job", self.job, "of a cluster; empty in `local`");
    field("nodes", self.nodes, "the same");
  }
};

// One that was given to a cluster and has not started.
struct GivenAttempt {
  static constexpr std::string_view kTitle = "an attempt that waits in a cluster";
  AttemptId id;
  TrialKey trial_key;
  std::string label;
  Pass pass = Pass::kTiming;
  std::string pool;
  Duration waited{0};
  std::string job, state, reason;
  std::optional<WallTime> starts;
  static void visit(auto& self, auto&& field) {
    field("attempt", self.id, "its id");
    field("label", self.label, "");
    field("pass", self.pass, "");
    field("pool", self.pool, "");
    field("waited_ns", self.waited, "since it was given to the pool");
    field("job", self.job, "empty: none was asked for yet");
    field("state", self.state, "of the job, in the cluster's word");
    field("reason", self.reason, "why it waits, in the cluster's word");
    field("starts_ns", self.starts, "since 1970, as the cluster expects");
  }
};

struct EndedAttempt {
  static constexpr std::string_view kTitle = "an attempt that ended";
  AttemptId id;
  TrialKey trial_key;
  std::string label;
  Pass pass = Pass::kTiming;
  Outcome outcome = Outcome::kDone;
  std::string detail;
  static void visit(auto& self, auto&& field) {
    field("attempt", self.id, "its id");
    field("label", self.label, "");
    field("pass", self.pass, "");
    field("outcome", self.outcome, "");
    field("detail", self.detail, "why");
  }
};

}  // namespace sweepd
