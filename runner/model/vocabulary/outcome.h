// How an attempt ended. Every attempt gets a row, and each outcome carries its reason. `verdict`
// (model/attempt/verdict.h) says whether a `done` timing can be trusted.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "runner/base/fields.h"
#include "runner/base/result.h"
#include "runner/base/units.h"

namespace sweepd {

enum class Outcome { kDone, kOom, kTimeout, kCrashed, kFailed, kCancelled, kSkipped };

struct OutcomeInfo {
  Outcome outcome;
  std::string_view word;     // in journals, the database, options and replies
  std::string_view cell;     // shown by a table's cell instead of a figure
  bool retried;              // whether `retry` runs it again by default
  std::string_view meaning;  // for help and documentation
};

// The one list of outcomes: everything that names or counts them follows it. Its order is that of
// the enumeration and of `Ending::detail`.
inline constexpr std::array<OutcomeInfo, 7> kOutcomes{{
    {Outcome::kDone, "done", "done", false, "ended as it should"},
    {Outcome::kOom, "oom", "OOM", true, "an allocation did not fit"},
    {Outcome::kTimeout, "timeout", "timeout", true, "took longer than its `timeout`"},
    {Outcome::kCrashed, "crashed", "crashed", true, "its process ended without a result"},
    {Outcome::kFailed, "failed", "failed", true, "the worker or the daemon said what is wrong"},
    {Outcome::kCancelled, "cancelled", "cancelled", true, "its sweep was cancelled"},
    {Outcome::kSkipped, "skipped", "skipped", true, "a requirement is missing"},
}};

constexpr const OutcomeInfo& info_of(Outcome outcome) {
  return kOutcomes[static_cast<std::size_t>(outcome)];
}
constexpr std::string_view name_of(Outcome outcome) {
  return info_of(outcome).word;
}
// Nothing for other names, such as the state of a queued attempt. `outcome_from` returns
// an error with the nearest word, which takes some microseconds.
std::optional<Outcome> find_outcome(std::string_view name);
Result<Outcome> outcome_from(std::string_view name);
const std::vector<std::string>& outcome_words();
const std::vector<std::string>& problem_words();  // those that are retried: all but `done`

// The stop reason of a program that measures itself.
inline constexpr std::string_view kStoppedByProgram = "program";

// The details of each outcome. The names are the journal's; the columns are those of `attempt`.
struct Done {
  static constexpr Outcome kOutcome = Outcome::kDone;
  std::string stop_reason;  // "fixed_steps", "relative_error", "max_time", "min_time", "program"

  static void visit(auto& self, auto&& field) { field("stop_reason", self.stop_reason, ""); }
};
struct Oom {
  static constexpr Outcome kOutcome = Outcome::kOom;
  Bytes requested;    // of the allocation that failed
  Bytes in_use;       // allocated at that moment
  Bytes limit;        // memory_limit, or the device's size; 0 if unknown
  std::string phase;  // "setup" before the first step

  static void visit(auto& self, auto&& field) {
    field("requested", self.requested, "of the allocation that failed");
    field("in_use", self.in_use, "allocated at that moment");
    field("limit", self.limit, "`memory_limit`, or the device's size; 0 when unknown");
    field("phase", self.phase, "");
  }
};
struct Timeout {
  static constexpr Outcome kOutcome = Outcome::kTimeout;
  Duration limit;
  std::string phase;  // the last one seen; "setup" before the first step

  static void visit(auto& self, auto&& field) {
    field("limit_ns", self.limit, "", ColumnName{"limit_ns"});
    field("phase", self.phase, "");
  }
};
struct Crashed {
  static constexpr Outcome kOutcome = Outcome::kCrashed;
  std::optional<int> signal;  // neither is known when an adopted process vanished
  std::optional<int> exit_code;
  std::string phase;

  static void visit(auto& self, auto&& field) {
    field("signal", self.signal, "");
    field("exit_code", self.exit_code, "");
    field("phase", self.phase, "");
  }
};
struct Failed {
  static constexpr Outcome kOutcome = Outcome::kFailed;
  std::string message;  // the message of the worker or the daemon
  std::string phase;

  static void visit(auto& self, auto&& field) {
    field("message", self.message, "");
    field("phase", self.phase, "");
  }
};
struct Cancelled {
  static constexpr Outcome kOutcome = Outcome::kCancelled;
  std::string reason;

  static void visit(auto& self, auto&& field) {
    field("reason", self.reason, "", ColumnName{"message"});
  }
};
struct Skipped {
  static constexpr Outcome kOutcome = Outcome::kSkipped;
  std::string reason;  // the missing thing and how to get it

  static void visit(auto& self, auto&& field) {
    field("reason", self.reason, "", ColumnName{"message"});
  }
};

using EndingDetail = std::variant<Done, Oom, Timeout, Crashed, Failed, Cancelled, Skipped>;

static_assert(std::variant_size_v<EndingDetail> == kOutcomes.size());
static_assert([]<std::size_t... I>(std::index_sequence<I...>) {
  return ((kOutcomes[I].outcome == static_cast<Outcome>(I) &&
           std::variant_alternative_t<I, EndingDetail>::kOutcome == static_cast<Outcome>(I)) &&
          ...);
}(std::make_index_sequence<kOutcomes.size()>()));

// `rank` is the rank that decided the ending, if ranks differ.
struct Ending {
  EndingDetail detail;
  int rank = 0;
  // Without the rank, which the file implies.
  static void visit(auto& self, auto&& field) {
    auto outcome = outcome_of(self);
    field("outcome", outcome, "");
    if constexpr (!std::is_const_v<std::remove_reference_t<decltype(self)>>) {
      if (outcome != outcome_of(self)) self.detail = empty_ending(outcome).detail;
    }
    std::visit([&](auto& one) { one.visit(one, field); }, self.detail);
  }
};

// An ending of this outcome without details.
Ending empty_ending(Outcome outcome);

inline Outcome outcome_of(const Ending& ending) {
  return static_cast<Outcome>(ending.detail.index());
}

std::string signal_name(int signal);  // "SIGSEGV"; "signal 70" of one without a name

// One line for people: "out of memory: asked for 1.50 GiB with 3.20 GiB in use of 4.00 GiB, in
// backward"; "" for a plain `done`.
std::string describe(const Ending& ending);

}  // namespace sweepd
