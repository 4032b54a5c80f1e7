#include "db/query/attempt_tables.h"
#include "runner/base/units.h"

namespace sweepd {
namespace {

std::string on_off(const Query& query, int column) {
  if (query.is_null(column)) return "";
  return query.integer(column) != 0 ? "on" : "off";
}

}  // namespace

Table environment_table(Connection& connection, std::int64_t attempt) {
  PropertyTable table("Environment");
  Query query(connection,
              "SELECT h.hostname, h.uid, h.cpu_model, h.cores, h.sockets, h.memory_bytes, "
              "e.kernel, e.os, e.governor, e.torch_version, e.cuda_version, e.cudnn_version, "
              "e.nccl_version, e.build_commit, e.cpu_math, e.threads, e.tf32_matmul, e.tf32_cudnn, "
              "e.cores FROM attempt a JOIN environment e ON e.id = a.environment "
              "JOIN host h ON h.id = e.host WHERE a.row = ?");
  query.bind(attempt);
  if (!query.next()) return table.take();
  table.add("host", query.text(0)).add("host id", query.text(1)).add("CPU", query.text(2));
  table.add("cores", query.integer(3)).add("sockets", query.integer(4));
  table.add("memory", to_human(Bytes{query.integer(5)}));
  table.add("kernel", query.text(6)).add("OS", query.text(7)).add("governor", query.text(8));
  table.add("LibTorch", query.text(9)).add("CUDA", query.text(10)).add("cuDNN", query.text(11));
  table.add("NCCL", query.text(12)).add("build commit", query.text(13));
  table.add("CPU math", query.text(14)).add("threads", query.integer(15));
  table.add("TF32 in matmul", on_off(query, 16)).add("TF32 in cuDNN", on_off(query, 17));
  table.add("cores of rank 0", query.text(18));
  return table.take();
}

Table devices_table(Connection& connection, std::int64_t attempt) {
  Query query(connection,
              "SELECT ad.rank, d.kind, ad.device_index, d.name, d.uuid, d.memory_bytes, "
              "d.compute_capability, ad.driver, ad.power_limit_watts, ad.ecc "
              "FROM attempt_device ad JOIN device d ON d.id = ad.device WHERE ad.attempt = ? "
              "ORDER BY ad.rank");
  query.bind(attempt);
  return rows_table(query, "Devices",
                    {{"rank", Show::kNumber},
                     {"kind"},
                     {"index", Show::kNumber},
                     {"name"},
                     {"uuid"},
                     {"memory", Show::kBytes},
                     {"compute capability"},
                     {"driver"},
                     {"power limit", Show::kNumber, "W"},
                     {"ECC", Show::kFlag}});
}

Table states_table(Connection& connection, std::int64_t attempt) {
  Query query(connection,
              "SELECT rank, moment, sm_clock_mhz, memory_clock_mhz, temperature_celsius, "
              "power_watts, throttle_reasons, other_processes, load_average, cores_lost_to_others, "
              "cores_stolen FROM device_state "
              "WHERE attempt = ? ORDER BY rank, moment DESC");
  query.bind(attempt);
  return rows_table(query, "Device state",
                    {{"rank", Show::kNumber},
                     {"moment"},
                     {"SM clock", Show::kNumber, "MHz"},
                     {"memory clock", Show::kNumber, "MHz"},
                     {"temperature", Show::kNumber, "°C"},
                     {"power", Show::kNumber, "W"},
                     {"throttling"},
                     {"other processes", Show::kNumber},
                     {"load average", Show::kNumber},
                     {"cores lost to others", Show::kNumber},
                     {"cores stolen", Show::kNumber}});
}

}  // namespace sweepd
