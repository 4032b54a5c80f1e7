#include <algorithm>

#include "db/base/measured_peak.h"
#include "db/store/state.h"
#include "runner/base/text.h"

namespace sweepd {
namespace {

// Keeps the larger of the stored and the new rate, and the attempt that set a ruler.
constexpr const char* kKeepLargest =
    "INSERT INTO device_peak (device, arithmetic, flops_per_s, flops_attempt, bytes_per_s, "
    "bytes_attempt, seen_flops_per_s, seen_bytes_per_s) VALUES (?1, ?2, ?3, iif(?3 > 0, ?7, NULL), "
    "?4, iif(?4 > 0, ?7, NULL), ?5, ?6) ON CONFLICT (device, arithmetic) DO UPDATE SET "
    "flops_attempt = iif(?3 > flops_per_s, ?7, flops_attempt), "
    "flops_per_s = max(flops_per_s, ?3), "
    "bytes_attempt = iif(?4 > bytes_per_s, ?7, bytes_attempt), "
    "bytes_per_s = max(bytes_per_s, ?4), "
    "seen_flops_per_s = max(seen_flops_per_s, ?5), seen_bytes_per_s = max(seen_bytes_per_s, ?6)";

// Most attempts are not the fastest ever, and finding that out needs no transaction.
bool is_kept(Connection& connection, std::int64_t host, const DeviceInfo& device,
             const std::string& arithmetic, const Rates& ruler, const Rates& seen) {
  Query query(connection,
              "SELECT p.flops_per_s >= ? AND p.bytes_per_s >= ? AND p.seen_flops_per_s >= ? AND "
              "p.seen_bytes_per_s >= ? FROM device_peak p JOIN device d ON d.id = p.device "
              "WHERE d.host = ? AND d.kind = ? AND d.uuid = ? AND d.name = ? AND p.arithmetic = ?");
  query.bind_all(ruler.flops_per_s, ruler.bytes_per_s, seen.flops_per_s, seen.bytes_per_s, host,
                 device.kind, device.uuid, device.name, arithmetic);
  return query.next() && query.integer(0) != 0;
}

// The host of the attempt's device: a node of a cluster, or this machine.
std::int64_t host_of_device(const StoreState& state, std::int64_t attempt, Connection& connection) {
  Query query(
      connection,
      "SELECT d.host FROM attempt_device x JOIN device d ON d.id = x.device WHERE x.attempt "
      "= ? ORDER BY x.rank LIMIT 1");
  query.bind(attempt);
  return query.next() ? query.integer(0) : state.host;
}

}  // namespace

Result<void> Store::record_peak(const DeviceInfo& device, const std::string& arithmetic,
                                const Rates& ruler, const Rates& seen, std::int64_t attempt_row) {
  Connection& connection = state_->connection;
  const double most =
      std::max({ruler.flops_per_s, ruler.bytes_per_s, seen.flops_per_s, seen.bytes_per_s});
  if (most <= 0) return {};
  std::int64_t host = 0;
  const auto kept = guarded(connection, "reading a peak", [&]() -> Result<bool> {
    host = host_of_device(*state_, attempt_row, connection);
    return is_kept(connection, host, device, arithmetic, ruler, seen);
  });
  if (!kept) return kept.error();
  if (*kept) return {};
  return state_->transact("recording a peak", [&]() -> Result<void> {
    const std::int64_t id = upsert_device(connection, state_->names, host, device);
    Query(connection, kKeepLargest)
        .bind_all(id, arithmetic, ruler.flops_per_s, ruler.bytes_per_s, seen.flops_per_s,
                  seen.bytes_per_s, attempt_row)
        .run();
    return {};
  });
}

Result<std::string> Store::why_no_peak(const DeviceInfo& device) {
  Connection& connection = state_->connection;
  return guarded(connection, "reading a peak", [&]() -> Result<std::string> {
    Query query(connection,
                "SELECT d.id, coalesce(max(p.flops_per_s), 0), coalesce(max(p.bytes_per_s), 0) "
                "FROM device d LEFT JOIN device_peak p ON p.device = d.id WHERE d.host = ? AND "
                "d.kind = ? AND d.uuid = ? AND d.name = ? GROUP BY d.id");
    query.bind_all(state_->host, device.kind, device.uuid, device.name);
    if (!query.next()) return std::string();
    std::vector<std::string> whys;
    if (query.real(1) <= 0) {
      whys.push_back(sweepd::why_no_peak(connection, query.integer(0), "matmul", ""));
    }
    if (query.real(2) <= 0) {
      whys.push_back(sweepd::why_no_peak(connection, query.integer(0), "memcpy", ""));
    }
    std::erase(whys, "");
    return join(whys, "; ");
  });
}

Result<std::optional<Peak>> Store::measured_peak(const DeviceInfo& device,
                                                 const std::string& arithmetic) {
  Connection& connection = state_->connection;
  return guarded(connection, "reading a peak", [&]() -> Result<std::optional<Peak>> {
    Query query(connection, "SELECT " + kMeasuredPeakColumns +
                                " FROM device_peak p JOIN device d ON d.id = p.device "
                                "WHERE d.host = ? AND d.kind = ? AND d.uuid = ? AND d.name = ?");
    query.bind_all(arithmetic, state_->host, device.kind, device.uuid, device.name);
    query.next();
    const Peak peak{query.real(0), query.real(1), PeakSource::kMeasured};
    if (peak.flops_per_s <= 0 && peak.bytes_per_s <= 0) return std::optional<Peak>();
    return std::optional<Peak>(peak);
  });
}

}  // namespace sweepd
