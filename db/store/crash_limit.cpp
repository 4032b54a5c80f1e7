// Skips the queued attempts of a trial that killed its workers too often.
#include "db/base/crash_limit.h"

#include <utility>
#include <vector>

#include "db/base/pool_hosts.h"
#include "db/store/state.h"

namespace sweepd {
namespace {

struct KilledOn {
  std::int64_t trial = 0, host = 0;
  std::string machine;  // "": it died before it reported its machine
};

KilledOn killed_on(Connection& connection, std::int64_t attempt) {
  Query query(connection,
              "SELECT a.trial, a.host, coalesce(e.machine, '') FROM attempt a LEFT JOIN "
              "environment e ON e.id = a.environment WHERE a.row = ?");
  query.bind(attempt);
  if (!query.next()) return {};
  return {query.integer(0), query.integer(1), query.text(2)};
}

struct Waiting {
  std::int64_t row = 0;
  AttemptId id;
};

std::vector<Waiting> waiting_of(Connection& connection, const KilledOn& place,
                                std::string_view pass) {
  Query query(connection,
              "SELECT row, uid FROM attempt a WHERE trial = ? AND pass = ? AND host = ? AND "
              "outcome IS NULL AND " +
                  left_queue_ns("a") + " IS NULL ORDER BY position");
  query.bind_all(place.trial, pass, place.host);
  std::vector<Waiting> found;
  while (query.next()) found.push_back({query.integer(0), query.text(1)});
  return found;
}

}  // namespace

Result<std::vector<Store::SkippedAttempt>> Store::skip_killer(const OpenAttempt& killer,
                                                              WallTime now) {
  Connection& connection = state_->connection;
  const WorkloadDef* def = state_->catalog.find(killer.workload);
  if (def == nullptr) return std::vector<SkippedAttempt>();
  return state_->transact("leaving out a trial that kills its workers", [&] {
    std::vector<SkippedAttempt> left;
    const KilledOn place = killed_on(connection, killer.row);
    const std::string_view pass = name_of(killer.pass);
    const Crashes crashes =
        crashes_of(connection, *def, place.trial, pass, place.host, place.machine);
    if (!crashes.at_limit()) return Result<std::vector<SkippedAttempt>>(std::move(left));
    for (const Waiting& each : waiting_of(connection, place, pass)) {
      Ending ending = ending_of(crashes);
      set_ending(connection, each.row, ending, now);
      left.push_back({each.row, each.id, killer.trial_key, killer.trial, std::move(ending)});
    }
    return Result<std::vector<SkippedAttempt>>(std::move(left));
  });
}

}  // namespace sweepd
