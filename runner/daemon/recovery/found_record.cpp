#include <set>

#include "runner/daemon/attempts/gang.h"
#include "runner/daemon/attempts/ingest.h"
#include "runner/daemon/attempts/run_note.h"
#include "runner/daemon/recovery/found_attempt.h"
#include "runner/model/machine_id.h"
#include "runner/model/pool_name.h"

namespace sweepd {
namespace {

// In the order that decides how the attempt ended, as for a daemon that finds it ended.
std::vector<EndedRank> ended_ranks(const FoundAttempt& found, const std::optional<RunNote>& note) {
  const auto world_size = static_cast<int>(found.attempt.lease.ranks.size());
  std::vector<EndedRank> ranks;
  std::set<int> known;
  if (note) {
    for (const EndedRank& one : note->ended) {
      if (one.rank < 0 || one.rank >= world_size) continue;
      if (known.insert(one.rank).second) ranks.push_back(one);
    }
  }
  for (int rank = 0; rank < world_size; ++rank) {
    if (!known.contains(rank)) ranks.push_back({rank, {}});
  }
  if (!note && world_size > 1) put_own_reasons_first(found.folder, ranks);
  return ranks;
}

}  // namespace

AttemptRecord record_of(const FoundAttempt& found, std::int64_t row) {
  OpenAttempt attempt = found.attempt;
  attempt.row = row;
  const std::optional<RunNote> note = read_run_note(found.folder);
  const std::vector<EndedRank> ranks = ended_ranks(found, note);
  AttemptRecord record =
      ingest(found.folder, attempt, ranks, note ? note->stop : std::optional<StopReason>());
  if (ranks.size() > 1) {
    tell_of_gang(record, found.folder, note ? note->hang : std::optional<Hang>(), attempt.timeout);
  }
  const std::string pool = pool_of(*found.def, attempt.trial);
  if (pool != kLocalPool && record.environment) name_machine(pool, *record.environment);
  if (found.ending) {
    record.ending = found.ending->ending;
    record.ended = found.ending->ended;
  }
  return record;
}

}  // namespace sweepd
