#include "db/store/kills.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "db/base/older_result.h"
#include "db/base/pool_hosts.h"
#include "db/store/state.h"
#include "runner/base/text.h"

namespace sweepd {
namespace {

// A condition on an attempt `k`, as `killed_its_worker` says it.
std::string killed_its_worker_sql() {
  std::vector<std::string> polite;
  for (const int signal : kPoliteSignals) polite.push_back(std::to_string(signal));
  return fmt::format("(k.outcome = 'crashed' AND k.signal NOT IN ({}))", join(polite, ", "));
}

struct Place {
  std::int64_t trial = 0, host = 0;
  std::string machine;  // "": it died before it said
};

Place place_of(Connection& connection, std::int64_t attempt) {
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

std::vector<Waiting> waiting_of(Connection& connection, const Place& place, std::string_view pass) {
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

Kills kills_of(Connection& connection, const WorkloadDef& def, std::int64_t trial,
               std::string_view pass, std::int64_t host, const std::string& machine) {
  // By their rows, which no clock that is set can change.
  static const std::string kSql =
      "SELECT k.signal, k.uid FROM attempt k WHERE k.trial = ?1 AND k.pass = ?2 AND k.host = ?3 "
      "AND " +
      killed_its_worker_sql() +
      " AND k.row >= (SELECT coalesce(max(d.row), 0) FROM attempt d WHERE d.trial = ?1 AND "
      "d.pass = ?2 AND d.host = ?3 AND (d.outcome = 'done' OR d.insisted = 1)) AND " +
      same_code_and_machine("k") + " ORDER BY k.row DESC";
  Query query(connection, kSql);
  query.bind_all(trial, pass, host, def.code, machine);
  Kills kills;
  while (query.next()) {
    if (kills.count++ > 0) continue;
    kills.signal = static_cast<int>(query.integer(0));
    kills.last = query.text(1);
  }
  return kills;
}

Result<std::vector<Store::LeftOut>> Store::leave_out_killer(const OpenAttempt& killer,
                                                            WallTime now) {
  Connection& connection = state_->connection;
  const WorkloadDef* def = state_->catalog.find(killer.workload);
  if (def == nullptr) return std::vector<LeftOut>();
  return state_->transact("leaving out a trial that kills its workers", [&] {
    std::vector<LeftOut> left;
    const Place place = place_of(connection, killer.row);
    const std::string_view pass = name_of(killer.pass);
    const Kills kills = kills_of(connection, *def, place.trial, pass, place.host, place.machine);
    if (!kills.too_many()) return Result<std::vector<LeftOut>>(std::move(left));
    for (const Waiting& each : waiting_of(connection, place, pass)) {
      Ending ending = ending_of(kills);
      set_ending(connection, each.row, ending, now);
      left.push_back({each.row, each.id, killer.trial_key, killer.trial, std::move(ending)});
    }
    return Result<std::vector<LeftOut>>(std::move(left));
  });
}

}  // namespace sweepd
