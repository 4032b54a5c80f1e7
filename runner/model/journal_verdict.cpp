#include "runner/model/journal_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "runner/base/text.h"

namespace sweepd {
namespace {

std::string of_rank(const JournalCheck& journal, std::size_t ranks) {
  return ranks > 1 ? fmt::format(" of rank {}", journal.rank) : "";
}

constexpr std::size_t kMaxNamed = 3;

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

}  // namespace

void JournalCheck::add_step(std::int64_t number, bool timed) {
  ++steps;
  if (timed) ++measured;
  for (; next < number && missing.size() <= kMaxNamed; ++next) missing.push_back(next);
  next = std::max(next, number + 1);
}

Judgement judge_journals(std::span<const JournalCheck> journals, Steps steps) {
  Judgement judgement;
  for (const JournalCheck& journal : journals) {
    const std::string rank = of_rank(journal, journals.size());
    judge_counts(judgement, journal, rank);
    judge_parts(judgement, journal, rank);
  }
  if (steps == Steps::kOfTheWorker) judge_agreement(judgement, journals);
  return judgement;
}

}  // namespace sweepd
