#include "runner/daemon/attempts/ending.h"

#include "runner/wire/attempt_folder.h"

namespace sweepd {
namespace {

bool is_done(const RankEvidence& rank) {
  return rank.said && outcome_of(*rank.said) == Outcome::kDone;
}

Ending without_words(const RankEvidence& rank) {
  Ending ending;
  ending.rank = rank.rank;
  if (rank.exit.code == kExitJournal) {
    // The log may be on the same full disk.
    ending.detail = Failed{rank.exit_message.empty()
                               ? "it could not write its journal (a full disk?), nor its log"
                               : rank.exit_message,
                           rank.phase};
  } else if (rank.exit.code == kExitNotLoaded && rank.phase.empty() && !rank.exit_message.empty()) {
    ending.detail = Failed{rank.exit_message, ""};  // printed by the loader
  } else {
    ending.detail = Crashed{rank.exit.signal, rank.exit.code, rank.phase};
  }
  return ending;
}

}  // namespace

Ending decide_ending(const std::vector<RankEvidence>& ranks, std::optional<StopReason> stop,
                     Duration timeout) {
  const RankEvidence* first = nullptr;
  const RankEvidence* done = nullptr;
  for (const RankEvidence& rank : ranks) {
    if (!is_done(rank)) {
      first = first == nullptr ? &rank : first;
    } else if (done == nullptr || rank.rank < done->rank) {
      done = &rank;
    }
  }
  if (first == nullptr) {
    return done != nullptr ? *done->said : Ending{Failed{"no rank was started", ""}, 0};
  }
  if (stop == StopReason::kCancelled) return {Cancelled{"cancelled while running"}, first->rank};
  if (stop == StopReason::kTimeout && !first->said) {
    return {Timeout{timeout, first->phase}, first->rank};
  }
  if (first->said) {
    Ending ending = *first->said;
    ending.rank = first->rank;
    return ending;
  }
  return without_words(*first);
}

}  // namespace sweepd
