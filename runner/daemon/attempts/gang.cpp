#include "runner/daemon/attempts/gang.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "runner/wire/status.h"

namespace sweepd {
namespace {

// "ranks 1, 2 and 5"
std::string ranks_text(const std::vector<int>& ranks) {
  const auto but_last = std::span(ranks).first(ranks.size() - 1);
  if (but_last.empty()) return fmt::format("rank {}", ranks.back());
  return fmt::format("ranks {} and {}", fmt::join(but_last, ", "), ranks.back());
}

std::string* phase_of(Ending& ending) {
  if (auto* timeout = std::get_if<Timeout>(&ending.detail)) return &timeout->phase;
  if (auto* crashed = std::get_if<Crashed>(&ending.detail)) return &crashed->phase;
  if (auto* oom = std::get_if<Oom>(&ending.detail)) return &oom->phase;
  return nullptr;
}

void add_fact(AttemptRecord& record, const char* name, std::string text) {
  record.facts.push_back({record.ending.rank, name, std::nullopt, std::move(text)});
}

void tell_of_hang(AttemptRecord& record, const AttemptFolder& folder, const Hang& hang,
                  Duration timeout) {
  // The rank that the others waited for is the reason, also if another one ended first.
  if (!hang.waited_for.empty()) record.ending.rank = hang.waited_for.front();
  std::string phase = read_status(folder.status(record.ending.rank)).phase;
  if (hang.waited_for.empty()) {
    phase = fmt::format("{}, in {}", phase, hang.collective);
  } else {
    phase = fmt::format("{}: the others waited for {} in {}", phase, ranks_text(hang.waited_for),
                        hang.collective);
    add_fact(record, "waited_for", fmt::format("{}", fmt::join(hang.waited_for, ",")));
  }
  record.ending.detail = Timeout{timeout, std::move(phase)};
  add_fact(record, "collective", hang.collective);
}

}  // namespace

bool failed_in_collective(const AttemptFolder& folder, int rank) {
  const auto said = last_word(folder, rank);
  return said && outcome_of(*said) == Outcome::kFailed &&
         !collective_of(read_status(folder.status(rank)).note).empty();
}

bool put_own_reasons_first(const AttemptFolder& folder, std::vector<EndedRank>& ended) {
  const auto has_own_reason = [&](const EndedRank& rank) {
    const auto said = last_word(folder, rank.rank);
    return !(said && outcome_of(*said) == Outcome::kDone) &&
           !failed_in_collective(folder, rank.rank);
  };
  // Stable, so that the ranks of each group stay in the order in which they ended.
  const auto others = std::stable_partition(ended.begin(), ended.end(), has_own_reason);
  return others != ended.begin();
}

Hang hang_now(const AttemptFolder& folder, int world_size, const std::set<int>& suspended) {
  std::vector<RankPlace> places;
  for (int rank = 0; rank < world_size; ++rank) {
    places.push_back({rank, read_status(folder.status(rank)).note, suspended.contains(rank)});
  }
  return find_hang(places);
}

void tell_of_gang(AttemptRecord& record, const AttemptFolder& folder,
                  const std::optional<Hang>& hang, Duration timeout) {
  const Outcome outcome = outcome_of(record.ending);
  // A rank may report a failure because its peers were ended. That did not cause the timeout.
  const bool timed_out =
      outcome == Outcome::kTimeout || (hang && failed_in_collective(folder, record.ending.rank));
  if (timed_out) {
    if (hang && !hang->collective.empty()) tell_of_hang(record, folder, *hang, timeout);
    return;
  }
  const std::string collective = collective_of(read_status(folder.status(record.ending.rank)).note);
  std::string* phase = phase_of(record.ending);
  if (phase == nullptr || collective.empty()) return;
  *phase = fmt::format("{}, in {}", *phase, collective);
  add_fact(record, "collective", collective);
}

}  // namespace sweepd
