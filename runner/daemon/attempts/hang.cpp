#include "runner/daemon/attempts/hang.h"

#include <algorithm>
#include <cstdint>

#include "runner/model/measurement/collective_note.h"

namespace sweepd {
namespace {

// A rank's progress: none, the rendezvous, or the operation of this number.
constexpr std::int64_t kNowhere = -1;
constexpr std::int64_t kRendezvous = 0;

std::int64_t number_of(std::string_view note) {
  if (note == kRendezvousNote) return kRendezvous;
  const auto parsed = collective_note_from(note);
  return parsed ? parsed->number : kNowhere;
}

// Whether a rank waits in an operation that another has not reached or is suspended in. A rank may
// leave an operation before its peers do, and wait in the next one while they still wait in this.
bool waits_itself(const RankPlace& rank, const std::vector<RankPlace>& ranks) {
  if (collective_of(rank.note).empty()) return false;
  return std::any_of(ranks.begin(), ranks.end(), [&](const RankPlace& other) {
    return other.suspended || number_of(other.note) < number_of(rank.note);
  });
}

}  // namespace

std::string collective_of(std::string_view note) {
  if (note == kRendezvousNote) return std::string(note);
  const auto parsed = collective_note_from(note);
  if (!parsed || parsed->at == CollectiveNote::At::kLeft) return "";
  return std::string(note);
}

Hang find_hang(const std::vector<RankPlace>& ranks) {
  if (ranks.size() < 2) return {};
  const RankPlace* furthest = nullptr;  // among those in a collective
  for (const RankPlace& rank : ranks) {
    if (collective_of(rank.note).empty()) continue;
    if (furthest == nullptr || number_of(rank.note) > number_of(furthest->note)) furthest = &rank;
  }
  if (furthest == nullptr) return {};
  Hang hang{collective_of(furthest->note), {}};
  for (const RankPlace& rank : ranks) {
    const bool late = number_of(rank.note) < number_of(furthest->note);
    if (rank.suspended || (late && !waits_itself(rank, ranks))) {
      hang.waited_for.push_back(rank.rank);
    }
  }
  std::sort(hang.waited_for.begin(), hang.waited_for.end());
  // No waiting rank is left.
  if (hang.waited_for.size() == ranks.size()) hang.waited_for.clear();
  return hang;
}

}  // namespace sweepd
