#include <algorithm>

#include "db/query/state.h"

namespace sweepd {

Result<std::vector<NoiseFloor>> Reader::noise_floors(const std::string& workload,
                                                     const std::vector<std::string>& hosts) {
  return state_->ask("reading the noise of equal runs", [&]() -> Result<std::vector<NoiseFloor>> {
    Query query(state_->connection,
                "SELECT n.trial, h.hostname, n.measured_ns, n.processes, n.spread, n.a_side, "
                "n.pairs, n.median_difference, n.p95_difference, n.false_alarms, n.found, "
                "n.slowdown, n.enough, n.attempt, h.pool FROM noise n JOIN host h ON h.id = n.host "
                "JOIN trial t ON "
                "t.id = n.trial WHERE t.workload = ? ORDER BY n.trial, n.host, n.device");
    query.bind(workload);
    Labels labels(*state_);
    std::vector<NoiseFloor> floors;
    while (query.next()) {
      NoiseFloor floor;
      floor.hostname = query.text(1);
      if (!hosts.empty() && std::find(hosts.begin(), hosts.end(), floor.hostname) == hosts.end()) {
        continue;
      }
      floor.label = labels.of(query.integer(13), query.integer(0), query.text(14), workload);
      floor.measured = WallTime{query.integer(2)};
      floor.processes = query.integer(3);
      floor.spread = query.real(4);
      floor.a_side = query.integer(5);
      floor.pairs = query.integer(6);
      floor.median_difference = query.real(7);
      floor.p95_difference = query.real(8);
      floor.false_alarms = query.integer(9);
      floor.found = query.integer(10);
      floor.slowdown = query.real(11);
      floor.enough = query.integer(12) != 0;
      floors.push_back(std::move(floor));
    }
    return floors;
  });
}

}  // namespace sweepd
