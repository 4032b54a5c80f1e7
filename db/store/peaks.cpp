#include <algorithm>

#include "db/store/state.h"

namespace sweepd {
namespace {

// The larger of the stored and the new rate, with the attempt that showed it.
constexpr const char* kKeepLargest =
    "INSERT INTO device_peak (device, arithmetic, flops_per_s, flops_attempt, bytes_per_s, "
    "bytes_attempt) VALUES (?1, ?2, ?3, ?5, ?4, ?5) ON CONFLICT (device, arithmetic) DO UPDATE SET "
    "flops_attempt = iif(?3 > flops_per_s, ?5, flops_attempt), "
    "flops_per_s = max(flops_per_s, ?3), "
    "bytes_attempt = iif(?4 > bytes_per_s, ?5, bytes_attempt), "
    "bytes_per_s = max(bytes_per_s, ?4)";

}  // namespace

Result<void> Store::record_peak(const DeviceInfo& device, const std::string& arithmetic,
                                double flops_per_s, double bytes_per_s, std::int64_t attempt_row) {
  Connection& connection = state_->connection;
  return state_->transact("recording a peak", [&]() -> Result<void> {
    const std::int64_t id = upsert_device(connection, state_->host, device);
    Query(connection, kKeepLargest)
        .bind_all(id, arithmetic, flops_per_s, bytes_per_s, attempt_row)
        .run();
    return {};
  });
}

Result<std::optional<Peak>> Store::measured_peak(const DeviceInfo& device,
                                                 const std::string& arithmetic) {
  Connection& connection = state_->connection;
  return guarded(connection, "reading a peak", [&]() -> Result<std::optional<Peak>> {
    // Bytes have no arithmetic: the largest of any row is the device's.
    Query query(connection,
                "SELECT coalesce(max(p.flops_per_s) FILTER (WHERE p.arithmetic = ?), 0), "
                "max(p.bytes_per_s) FROM device_peak p JOIN device d ON d.id = p.device "
                "WHERE d.host = ? AND d.kind = ? AND d.uuid = ? AND d.name = ?");
    query.bind_all(arithmetic, state_->host, device.kind, device.uuid, device.name);
    query.next();
    if (query.is_null(1)) return std::optional<Peak>();
    const Peak peak{query.real(0), query.real(1), PeakSource::kMeasured};
    if (peak.flops_per_s <= 0 && peak.bytes_per_s <= 0) return std::optional<Peak>();
    return std::optional<Peak>(peak);
  });
}

}  // namespace sweepd
