// Where an attempt ran: host, environment, devices and their states.
#include <string>

#include "db/store/record.h"
#include "db/store/state.h"
#include "runner/base/hash.h"
#include "runner/base/text.h"

namespace sweepd {
namespace {

std::optional<int> flag(const std::optional<bool>& value) {
  if (!value) return std::nullopt;
  return *value ? 1 : 0;
}

std::string flag_text(const std::optional<bool>& value) {
  return value ? (*value ? "1" : "0") : "-";
}

std::string hash_of(const Environment& e) {
  const std::vector<std::string> parts{e.host.id,
                                       e.host.kernel,
                                       e.host.os,
                                       e.host.governor,
                                       e.torch_version,
                                       e.cuda_version,
                                       e.cudnn_version,
                                       e.nccl_version,
                                       e.build_commit,
                                       e.cpu_math,
                                       std::to_string(e.threads),
                                       flag_text(e.tf32_matmul),
                                       flag_text(e.tf32_cudnn),
                                       e.cores};
  return hash128(join(parts, "|"));
}

std::int64_t intern_environment(Connection& connection, std::int64_t host, const Environment& e) {
  const std::string uid = hash_of(e);
  {
    Query known(connection, "SELECT id FROM environment WHERE uid = ?");
    known.bind(uid);
    if (known.next()) return known.integer(0);
  }
  Query(connection,
        "INSERT INTO environment (uid, host, kernel, os, governor, torch_version, cuda_version, "
        "cudnn_version, nccl_version, build_commit, cpu_math, threads, tf32_matmul, tf32_cudnn, "
        "cores) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .bind_all(uid, host, e.host.kernel, e.host.os, e.host.governor, e.torch_version,
                e.cuda_version, e.cudnn_version, e.nccl_version, e.build_commit, e.cpu_math,
                e.threads, flag(e.tf32_matmul), flag(e.tf32_cudnn), e.cores)
      .run();
  return connection.database().getLastInsertRowid();
}

}  // namespace

std::int64_t insert_environment(Connection& connection, std::int64_t attempt,
                                const Environment& environment, std::int64_t host) {
  if (!environment.host.id.empty()) host = upsert_host(connection, environment.host);
  Query(connection, "UPDATE attempt SET environment = ? WHERE row = ?")
      .bind_all(intern_environment(connection, host, environment), attempt)
      .run();
  int rank = 0;
  for (const DeviceInfo& device : environment.devices) {
    // A rank that died before it reported its device leaves a hole in the list.
    if (device.kind.empty()) {
      ++rank;
      continue;
    }
    Query(connection,
          "INSERT OR REPLACE INTO attempt_device (attempt, rank, device, device_index, driver, "
          "power_limit_watts, ecc) VALUES (?, ?, ?, ?, ?, ?, ?)")
        .bind_all(attempt, rank++, upsert_device(connection, host, device), device.index,
                  device.driver, device.power_limit_watts, flag(device.ecc))
        .run();
  }
  return host;
}

void insert_states(Connection& connection, std::int64_t attempt,
                   const std::vector<DeviceState>& states) {
  for (const DeviceState& s : states) {
    Query(connection,
          "INSERT OR REPLACE INTO device_state (attempt, rank, moment, sm_clock_mhz, "
          "memory_clock_mhz, temperature_celsius, power_watts, throttle_reasons, other_processes, "
          "load_average, cores_lost_to_others, cores_stolen) "
          "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .bind_all(attempt, s.rank, s.moment, s.sm_clock_mhz, s.memory_clock_mhz,
                  s.temperature_celsius, s.power_watts, s.throttle_reasons, s.other_processes,
                  s.load_average, s.cores_lost_to_others, s.cores_stolen)
        .run();
  }
}

}  // namespace sweepd
