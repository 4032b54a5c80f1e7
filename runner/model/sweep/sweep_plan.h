// The plan of a sweep: the number of attempts, their estimated time, and those that do not fit.
// JSON follows from the descriptions (runner/wire/message.h).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/base/clock.h"
#include "runner/base/fields.h"
#include "runner/base/units.h"
#include "runner/model/sweep/changes.h"

namespace sweepd {

struct PlannedValue {
  std::string value;
  std::int64_t trials = 0;
  static void visit(auto& self, auto&& field) {
    field("value", self.value, "");
    field("trials", self.trials, "");
  }
};

struct PlannedAxis {
  static constexpr std::string_view kTitle = "an axis";
  std::string name;
  std::vector<PlannedValue> values;
  std::int64_t distinct = 0;
  static void visit(auto& self, auto&& field) {
    field("name", self.name, "");
    field("values", self.values, "the first 50");
    field("distinct", self.distinct, "the number of all values");
  }
};

struct ExcludedPoints {
  int line = 0;
  std::string rule;
  std::int64_t points = 0;
  static void visit(auto& self, auto&& field) {
    field("line", self.line, "of the rule in the document");
    field("rule", self.rule, "");
    field("points", self.points, "");
  }
};

struct PlannedTime {
  static constexpr std::string_view kTitle = "a plan's time";
  std::optional<Duration> total;
  std::int64_t from_same = 0, from_nearest = 0, unknown = 0, past_results = 0;
  double farthest_ratio = 1;
  static void visit(auto& self, auto&& field) {
    field("total_ns", self.total,
          "of the attempts to run; null when no past attempt can be compared", OrNull());
    field("from_same", self.from_same, "attempts estimated from the same trial");
    field("from_nearest", self.from_nearest, "from the nearest past trial");
    field("unknown", self.unknown, "without an estimate");
    field("farthest_ratio", self.farthest_ratio,
          "the largest factor in work between a trial and the nearest measured one");
    field("past_results", self.past_results, "");
  }
};

// The attempts to run, of the examined trials, that are expected to take longer than their
// `timeout`, or that must measure for as long as that.
struct PlannedTimeouts {
  static constexpr std::string_view kTitle = "a plan's timeouts";
  std::int64_t attempts = 0;
  std::vector<std::string> values;
  Duration expected{0}, timeout{0};
  bool all_equal = true;
  static void visit(auto& self, auto&& field) {
    field("attempts", self.attempts, "to run, of the trials that were looked at");
    field("values", self.values,
          "of the axes, where the expected time is the largest multiple of the timeout");
    field("expected_ns", self.expected, "of one attempt there");
    field("timeout_ns", self.timeout, "there");
    field("all_equal", self.all_equal, "whether all of these attempts have this timeout");
  }
};

struct SizedTrial {
  std::vector<std::string> values;
  Bytes resident, memory;
  static void visit(auto& self, auto&& field) {
    field("values", self.values, "of the axes");
    field("resident_bytes", self.resident, "at least");
    field("memory_bytes", self.memory, "of the device, or `memory_limit`; 0: unknown");
  }
};

struct PlannedMemory {
  static constexpr std::string_view kTitle = "a plan's memory";
  SizedTrial largest;
  std::int64_t too_large = 0;
  std::vector<SizedTrial> examples;
  static void visit(auto& self, auto&& field) {
    field("largest", self.largest, "");
    field("too_large", self.too_large, "trials");
    field("examples", self.examples, "up to five of them");
  }
};

// A trial that was examined.
struct PlannedTrial {
  static constexpr std::string_view kTitle = "a planned trial";
  std::vector<std::string> values;
  std::string state;
  std::int64_t to_run = 0;
  bool fits = true, times_out = false;
  std::optional<std::string> last;
  std::optional<Duration> time;
  std::optional<Bytes> resident;
  static void visit(auto& self, auto&& field) {
    field("values", self.values, "of the axes");
    field("state", self.state,
          "`new`, `again`, `partly`, `reused`, `queued`, `running`, `left out`");
    field("to_run", self.to_run, "attempts");
    field("fits", self.fits, "into the memory");
    field("times_out", self.times_out,
          "an attempt of it is expected to take longer than its `timeout`");
    field("last", self.last, "its last outcome");
    field("time_ns", self.time, "of its attempts to run");
    field("resident_bytes", self.resident, "at least");
  }
};

// The resources that attempts of a kind request from a cluster's pool.
struct PlannedAsk {
  static constexpr std::string_view kTitle = "the plan's request to a cluster";
  std::string pool;
  std::int64_t ranks = 1, trials = 0;
  std::string asks = {}, problem = {};
  std::optional<WallTime> starts = {};
  static void visit(auto& self, auto&& field) {
    field("pool", self.pool, "");
    field("ranks", self.ranks, "of one trial");
    field("trials", self.trials, "of those that were looked at");
    field("asks", self.asks, "for one job");
    field("starts_ns", self.starts, "since 1970, when the queue would begin the job");
    field("problem", self.problem, "why the cluster does not say");
  }
};

// The effect of submitting a sweep.
struct SweepPlan {
  static constexpr std::string_view kTitle = "a plan";
  std::string name, description, workload;
  std::vector<std::string> passes;
  std::int64_t points = 0, trials = 0, attempts = 0, duplicates = 0;
  std::vector<PlannedAxis> axes;
  std::vector<ExcludedPoints> excluded;
  std::int64_t to_run = 0, skipped = 0, reused = 0, queued = 0, held = 0, running = 0;
  std::string skipped_because;
  std::map<std::string, std::int64_t> again;
  Changes changes;
  std::int64_t looked_at = 0;
  PlannedTime time;
  std::optional<PlannedTimeouts> timeouts;
  std::optional<PlannedMemory> memory;
  std::vector<PlannedAsk> asks;
  std::vector<std::string> refusals, warnings;
  std::string work_error;
  std::vector<PlannedTrial> rows;
  static void visit(auto& self, auto&& field) {
    field("name", self.name, "");
    field("description", self.description, "");
    field("workload", self.workload, "");
    field("passes", self.passes, "");
    field("points", self.points, "before exclusion");
    field("trials", self.trials, "");
    field("attempts", self.attempts, "trials x passes x repeats");
    field("duplicates", self.duplicates, "points that are the same as another");
    field("axes", self.axes, "");
    field("excluded", self.excluded, "");
    field("to_run", self.to_run, "attempts");
    field("left_out", self.skipped, "attempts of trials that killed their workers too often");
    field("left_out_because", self.skipped_because, "of one of them");
    field("reused", self.reused, "attempts that are done on this host");
    field("queued", self.queued, "attempts of another sweep, which this one joins");
    field("held", self.held,
          "of `queued`: a paused sweep's, which start once this one is submitted");
    field("running", self.running, "the same");
    field("again", self.again, "outcome to the number of trials that run again because of it");
    field("changes", self.changes, "among `to_run`");
    field("looked_at", self.looked_at,
          "trials from which time and memory are computed, at most 10,000, spread over the sweep");
    field("time", self.time, "");
    field(
        "timeouts", self.timeouts,
        "attempts that are expected to take longer than their `timeout`; null when there are none",
        OrNull());
    field("memory", self.memory, "null when no formula is known", OrNull());
    field("asks", self.asks, "");
    field("refusals", self.refusals, "what its pools can never run");
    field("warnings", self.warnings, "of what can run, but measures something else");
    field("work_error", self.work_error, "why formulas are not known");
    field("rows", self.rows, "`limit` trials, the first and the last among them");
  }
};

}  // namespace sweepd
