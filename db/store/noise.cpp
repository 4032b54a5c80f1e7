#include "db/store/state.h"

namespace sweepd {

Result<void> Store::record_noise(const std::vector<NoiseFloor>& floors) {
  return state_->transact("recording the noise of equal runs", [&]() -> Result<void> {
    for (const NoiseFloor& floor : floors) {
      Query(
          state_->connection,
          "INSERT OR REPLACE INTO noise (host, device, trial, attempt, measured_ns, processes, "
          "spread, a_side, pairs, median_difference, p95_difference, false_alarms, found, "
          "slowdown, enough) SELECT a.host, coalesce((SELECT d.device FROM attempt_device d WHERE "
          "d.attempt = a.row AND d.rank = 0), 0), a.trial, a.row, ?2, ?3, ?4, ?5, ?6, ?7, ?8, "
          "?9, ?10, ?11, ?12 FROM attempt a WHERE a.uid = ?1")
          .bind_all(floor.attempt, floor.measured.ns, floor.processes, floor.spread, floor.a_side,
                    floor.pairs, floor.median_difference, floor.p95_difference, floor.false_alarms,
                    floor.found, floor.slowdown, static_cast<std::int64_t>(floor.enough))
          .run();
    }
    return {};
  });
}

}  // namespace sweepd
