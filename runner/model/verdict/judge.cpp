#include "runner/model/verdict/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "runner/base/text.h"
#include "runner/model/vocabulary/kernel_class.h"
#include "runner/model/vocabulary/known_metric.h"

namespace sweepd {
namespace {

constexpr std::size_t kMaxNamed = 3;  // missing steps

bool always(const Evidence&) {
  return true;
}
bool is_profile(const Evidence& evidence) {
  return evidence.pass == Pass::kProfile;
}
// A profile depends on its surroundings as a timing does.
bool depends_on_surroundings(const Evidence& evidence) {
  return is_complete_timing(evidence) || (is_profile(evidence) && evidence.record.environment);
}

struct Rule {
  JudgedAt moment;
  bool (*applies)(const Evidence&);
  void (*add_reasons)(const Evidence&, Judgement&);
};

constexpr Rule kRules[] = {
    {JudgedAt::kReading, always, rules::journals},
    {JudgedAt::kReading, always, rules::times},
    {JudgedAt::kReading, always, rules::loss},
    {JudgedAt::kStoring, always, rules::reported_warnings},
    {JudgedAt::kStoring, is_profile, rules::profile},
    {JudgedAt::kStoring, is_complete_timing, rules::launch},
    {JudgedAt::kStoring, is_complete_timing, rules::clocks},
    {JudgedAt::kStoring, is_complete_timing, rules::rates},
    {JudgedAt::kStoring, depends_on_surroundings, rules::surroundings},
};

}  // namespace

Judgement judge(JudgedAt moment, const Evidence& evidence) {
  Judgement judgement;
  if (outcome_of(evidence.record.ending) != Outcome::kDone) return judgement;
  for (const Rule& rule : kRules) {
    if (rule.moment == moment && rule.applies(evidence)) rule.add_reasons(evidence, judgement);
  }
  return judgement;
}

bool is_complete_timing(const Evidence& evidence) {
  const AttemptRecord& record = evidence.record;
  return evidence.pass == Pass::kTiming && outcome_of(record.ending) == Outcome::kDone &&
         record.work && record.environment && !record.environment->devices.empty();
}

void JournalCheck::add_step(std::int64_t number, bool timed) {
  ++steps;
  if (timed) ++measured;
  for (; next < number && missing.size() <= kMaxNamed; ++next) missing.push_back(next);
  next = std::max(next, number + 1);
}

namespace {

std::string of_rank(int rank) {
  return rank > 0 ? fmt::format(" of rank {}", rank) : "";
}

// Returns ": step 4 is missing", or "" if there is no gap, as when only the last steps are missing.
std::string gaps(const std::vector<std::int64_t>& missing) {
  if (missing.empty()) return "";
  if (missing.size() == 1) return fmt::format(": step {} is missing", missing.front());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(missing.size(), kMaxNamed); ++i) {
    names.push_back(std::to_string(missing[i]));
  }
  return fmt::format(": steps {}{} are missing", join(names, ", "),
                     missing.size() > kMaxNamed ? " and others" : "");
}

void judge_counts(Judgement& judgement, const JournalCheck& journal, const std::string& rank) {
  const bool steps_agree = !journal.said_steps || *journal.said_steps == journal.steps;
  if (!steps_agree) {
    add_reason(judgement, Verdict::kInvalid,
               fmt::format("the journal{} holds {} lines of steps, but {} were written{}", rank,
                           journal.steps, *journal.said_steps, gaps(journal.missing)));
  } else if (journal.said_lines && *journal.said_lines != journal.lines) {
    add_reason(judgement, Verdict::kSuspect,
               fmt::format("the journal{} holds {} lines, but {} were written", rank, journal.lines,
                           *journal.said_lines));
  }
  if (journal.unreadable > 0) {
    add_reason(judgement, Verdict::kSuspect,
               fmt::format("{} line{} of the journal{} could not be read", journal.unreadable,
                           journal.unreadable == 1 ? "" : "s", rank));
  }
}

void judge_parts(Judgement& judgement, const JournalCheck& journal, const std::string& rank) {
  std::vector<std::string> missing;
  if (!journal.work) missing.emplace_back("its work");
  if (!journal.environment) missing.emplace_back("its environment");
  if (!journal.state_before) missing.emplace_back("the device's state before the steps");
  if (!journal.state_after) missing.emplace_back("the device's state after the steps");
  if (missing.empty()) return;
  add_reason(judgement, Verdict::kSuspect,
             fmt::format("the journal{} lacks {}", rank, join(missing, ", ")));
}

void judge_agreement(Judgement& judgement, std::span<const JournalCheck> journals) {
  const auto [fewest, most] = std::minmax_element(
      journals.begin(), journals.end(),
      [](const JournalCheck& a, const JournalCheck& b) { return a.measured < b.measured; });
  if (fewest == journals.end() || fewest->measured == most->measured) return;
  add_reason(judgement, Verdict::kInvalid,
             fmt::format("rank {} measured {} steps, rank {} {}", fewest->rank, fewest->measured,
                         most->rank, most->measured));
}

enum class Limit { kNone, kFromZero, kAboveZero };

Limit limit_of(std::string_view metric) {
  if (metric == "time" || metric == "host_time") return Limit::kAboveZero;
  return unit_of_metric(metric) == "ms" ? Limit::kFromZero : Limit::kNone;
}

bool holds(Limit limit, double value) {
  if (limit == Limit::kNone) return true;
  return std::isfinite(value) && (limit == Limit::kAboveZero ? value > 0 : value >= 0);
}

struct Wrong {
  const Sample* first = nullptr;
  std::int64_t count = 0, of = 0;
};

struct ProfileChecks {  // the facts of a rank that are named `profile.<member>`
  int rank = 0;
  double dropped_records = 0;
  double step_ms = 0;
  double kernel_ms = 0;
  double differing_kernels = 0;
};

// A rank without these facts was not profiled.
std::vector<ProfileChecks> profile_checks(const AttemptRecord& record) {
  std::vector<ProfileChecks> checks;
  for (const Fact& fact : record.facts) {
    if (!fact.number || !fact.name.starts_with("profile.")) continue;
    if (checks.empty() || checks.back().rank != fact.rank) checks.push_back({.rank = fact.rank});
    ProfileChecks& rank = checks.back();
    if (fact.name == "profile.dropped_records") rank.dropped_records = *fact.number;
    if (fact.name == "profile.step_ms") rank.step_ms = *fact.number;
    if (fact.name == "profile.kernel_ms") rank.kernel_ms = *fact.number;
    if (fact.name == "profile.differing_kernels") rank.differing_kernels = *fact.number;
  }
  return checks;
}

std::int64_t matmuls(const auto& rows, int rank, std::string_view phase) {
  std::int64_t count = 0;
  for (const auto& row : rows) {
    const bool here = row.rank == rank && row.phase == phase;
    if (here && class_of(row.name, row.phase) == KernelClass::kMatmul) count += row.calls;
  }
  return count;
}

void judge_matmuls(const AttemptRecord& record, int rank, Judgement& judgement) {
  if (!record.work) return;
  constexpr std::string_view kPrefix = "matmuls_";
  for (const Figure& figure : record.work->figures) {
    if (!figure.name.starts_with(kPrefix)) continue;
    const std::string phase = figure.name.substr(kPrefix.size());
    const auto expected = static_cast<std::int64_t>(std::llround(figure.value));
    const std::int64_t called = matmuls(record.operators, rank, phase);
    const std::int64_t ran = matmuls(record.kernels, rank, phase);
    if (called != expected) {
      add_reason(judgement, Verdict::kSuspect,
                 fmt::format("{} has {} matmul operators{}, the model has {} ({})", phase, called,
                             of_rank(rank), expected, figure.formula));
    } else if (ran < expected) {
      add_reason(
          judgement, Verdict::kSuspect,
          fmt::format("{} has {} matmul kernels{} for {} matmul operators: kernels were missed",
                      phase, ran, of_rank(rank), called));
    }
  }
}

}  // namespace

namespace rules {

void journals(const Evidence& evidence, Judgement& judgement) {
  for (const JournalCheck& journal : evidence.journals) {
    const bool alone = evidence.journals.size() == 1;
    const std::string rank = alone ? "" : fmt::format(" of rank {}", journal.rank);
    judge_counts(judgement, journal, rank);
    judge_parts(judgement, journal, rank);
  }
  const auto* done = std::get_if<Done>(&evidence.record.ending.detail);
  const bool of_program = done != nullptr && done->stop_reason == kStoppedByProgram;
  if (!of_program) judge_agreement(judgement, evidence.journals);
}

void times(const Evidence& evidence, Judgement& judgement) {
  const std::vector<Sample>& samples = evidence.record.samples;
  std::map<std::pair<std::string_view, std::string_view>, Wrong> by_place;  // phase, metric
  std::string_view metric;
  Limit limit = Limit::kNone;
  bool any = false;
  for (const Sample& sample : samples) {
    if (sample.metric != metric) {
      metric = sample.metric;
      limit = limit_of(metric);
    }
    if (holds(limit, sample.value)) continue;
    any = true;
    Wrong& wrong = by_place[{sample.phase, sample.metric}];
    if (wrong.count++ == 0) wrong.first = &sample;
  }
  if (!any) return;
  for (const Sample& sample : samples) {
    const auto wrong = by_place.find({sample.phase, sample.metric});
    if (wrong != by_place.end()) ++wrong->second.of;
  }
  for (const auto& [place, wrong] : by_place) {
    const Sample& first = *wrong.first;
    add_reason(
        judgement, Verdict::kInvalid,
        fmt::format(
            "{} of {} values of {} in {} are not valid times: the first is {} ms, in step {}{}",
            wrong.count, wrong.of, place.second, place.first, first.value, first.step,
            of_rank(first.rank)));
  }
}

void loss(const Evidence& evidence, Judgement& judgement) {
  constexpr const char* kSo = "so nothing was trained, and such values may take another time";
  const std::vector<Sample>& samples = evidence.record.samples;
  const auto first = std::ranges::find_if(samples, [](const Sample& sample) {
    return sample.metric == "loss" && !std::isfinite(sample.value);
  });
  if (first != samples.end()) {
    add_reason(judgement, Verdict::kSuspect,
               fmt::format("the loss is {} in step {}, {}", first->value, first->step, kSo));
    return;
  }
  for (const Fact& fact : evidence.record.facts) {
    if (fact.name != "final_loss" || !fact.number || std::isfinite(*fact.number)) continue;
    add_reason(judgement, Verdict::kSuspect,
               fmt::format("the loss is {} after the last step, {}", *fact.number, kSo));
  }
}

void reported_warnings(const Evidence& evidence, Judgement& judgement) {
  for (const Fact& fact : evidence.record.facts) {
    if (!fact.name.starts_with(kWarningFact) || fact.text.empty()) continue;
    add_reason(judgement, Verdict::kSuspect, fact.text);
  }
}

void profile(const Evidence& evidence, Judgement& judgement) {
  // Host and device clocks drift apart by parts per million, and a step takes milliseconds.
  constexpr double kClockTolerance = 1.001;
  for (const ProfileChecks& rank : profile_checks(evidence.record)) {
    if (rank.dropped_records > 0) {
      add_reason(
          judgement, Verdict::kSuspect,
          fmt::format("{:.0f} records{} were dropped", rank.dropped_records, of_rank(rank.rank)));
    }
    if (rank.kernel_ms > rank.step_ms * kClockTolerance) {
      add_reason(judgement, Verdict::kSuspect,
                 fmt::format("kernels{} were busy for {:.3f} ms of a step of {:.3f} ms",
                             of_rank(rank.rank), rank.kernel_ms, rank.step_ms));
    }
    if (rank.differing_kernels > 0) {
      add_reason(judgement, Verdict::kSuspect,
                 fmt::format("{:.0f} kernels{} were not called equally often in two "
                             "steps",
                             rank.differing_kernels, of_rank(rank.rank)));
    }
    judge_matmuls(evidence.record, rank.rank, judgement);
  }
}

void launch(const Evidence& evidence, Judgement& judgement) {
  for (const Summary& summary : evidence.record.summaries) {
    if (summary.metric != kExposedLaunch || !(summary.stats.mean > 0)) continue;
    const auto exposed = std::llround(summary.stats.mean * static_cast<double>(summary.stats.n));
    add_reason(judgement, Verdict::kSuspect,
               fmt::format("launch: ahead, but the device began {} of {} steps before the host had "
                           "issued all of the step, so their times may hold time of the host: the "
                           "step waits for the device, or takes too long to issue",
                           exposed, summary.stats.n));
  }
}

void clocks(const Evidence& evidence, Judgement& judgement) {
  constexpr std::size_t kLeastClocks = 3;
  // Clocks move in steps of 15 MHz, and by a few per cent with the temperature.
  constexpr double kAllowed = 0.9;
  for (const DeviceState& state : evidence.record.environment->states) {
    const auto rank = static_cast<std::size_t>(state.rank);
    if (state.moment != "after" || !state.sm_clock_mhz) continue;
    if (rank >= evidence.earlier_clocks.size()) continue;
    std::vector<std::int64_t> earlier = evidence.earlier_clocks[rank];
    if (earlier.size() < kLeastClocks) continue;
    const auto median = earlier.begin() + static_cast<std::ptrdiff_t>(earlier.size() / 2);
    std::nth_element(earlier.begin(), median, earlier.end());
    const std::int64_t mhz = *state.sm_clock_mhz;
    if (static_cast<double>(mhz) >= kAllowed * static_cast<double>(*median)) continue;
    add_reason(
        judgement, Verdict::kSuspect,
        fmt::format("the device{} ran at {} MHz after the measured steps, and at {} MHz in the "
                    "{} valid results of this trial before",
                    of_rank(state.rank), mhz, *median, earlier.size()));
  }
}

}  // namespace rules
}  // namespace sweepd
