// Pauses devices of this host, and takes faulty ones out of service.
#include "db/store/state.h"

namespace sweepd {

Result<bool> Store::pause_device(const DeviceInfo& device, WallTime when) {
  Connection& connection = state_->connection;
  return state_->transact("pausing a device", [&]() -> Result<bool> {
    const std::int64_t row = upsert_device(connection, state_->names, state_->host, device);
    return Query(connection, "UPDATE device SET paused_ns = ? WHERE id = ? AND paused_ns IS NULL")
               .bind_all(when.ns, row)
               .run() > 0;
  });
}

Result<bool> Store::resume_device(const DeviceInfo& device) {
  Connection& connection = state_->connection;
  return state_->transact("resuming a device", [&]() -> Result<bool> {
    // By its uuid: a GPU's name may change with its driver.
    return Query(connection,
                 "UPDATE device SET paused_ns = NULL, fault = NULL, fault_attempt = NULL WHERE "
                 "host = ? AND kind = ? AND uuid = ? AND paused_ns IS NOT NULL")
               .bind_all(state_->host, device.kind, device.uuid)
               .run() > 0;
  });
}

Result<void> Store::take_out_of_service(const DeviceInfo& device, WallTime when,
                                        const std::string& fault, const AttemptId& attempt) {
  Connection& connection = state_->connection;
  return state_->transact("taking a device out of service", [&]() -> Result<void> {
    // A known device keeps its row.
    Query known(connection, "SELECT 1 FROM device WHERE host = ? AND kind = ? AND uuid = ?");
    known.bind_all(state_->host, device.kind, device.uuid);
    if (!known.next()) upsert_device(connection, state_->names, state_->host, device);
    Query(connection,
          "UPDATE device SET paused_ns = coalesce(paused_ns, ?), fault = ?, fault_attempt = ? "
          "WHERE host = ? AND kind = ? AND uuid = ? AND fault IS NULL")
        .bind_all(when.ns, fault, attempt, state_->host, device.kind, device.uuid)
        .run();
    return {};
  });
}

Result<std::vector<PausedDevice>> Store::paused_devices() {
  Connection& connection = state_->connection;
  return state_->transact("reading paused devices", [&]() -> Result<std::vector<PausedDevice>> {
    std::vector<PausedDevice> devices;
    Query query(connection,
                "SELECT kind, uuid, min(paused_ns), coalesce(max(fault), ''), "
                "coalesce(max(fault_attempt), '') FROM device WHERE host = ? AND paused_ns IS NOT "
                "NULL GROUP BY kind, uuid ORDER BY kind, uuid");
    query.bind(state_->host);
    while (query.next()) {
      devices.push_back(
          {query.text(0), query.text(1), WallTime{query.integer(2)}, query.text(3), query.text(4)});
    }
    return devices;
  });
}

}  // namespace sweepd
