#include "db/store/state.h"

namespace sweepd {

Result<std::vector<std::int64_t>> Store::clocks_before(std::int64_t attempt_row,
                                                       const DeviceInfo& device) {
  Connection& connection = state_->connection;
  return guarded(connection, "reading earlier clocks", [&]() -> Result<std::vector<std::int64_t>> {
    Query query(connection,
                "SELECT s.sm_clock_mhz FROM attempt a "
                "JOIN attempt_device u ON u.attempt = a.row JOIN device d ON d.id = u.device "
                "JOIN device_state s ON s.attempt = a.row AND s.rank = u.rank AND "
                "s.moment = 'after' "
                "WHERE a.trial = (SELECT trial FROM attempt WHERE row = ?1) AND a.row < ?1 AND "
                "a.pass = 'timing' AND a.verdict = 'valid' AND d.kind = ?2 AND d.uuid = ?3 AND "
                "s.sm_clock_mhz IS NOT NULL ORDER BY a.row DESC LIMIT 10");
    query.bind_all(attempt_row, device.kind, device.uuid);
    std::vector<std::int64_t> clocks;
    while (query.next()) clocks.push_back(query.integer(0));
    return clocks;
  });
}

}  // namespace sweepd
