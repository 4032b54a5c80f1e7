#include "runner/daemon/handlers/handlers.h"
#include "runner/exec/machine.h"
#include "runner/wire/params.h"

namespace sweepd {
namespace {

// Returns a bandwidth alone (if only `memcpy` has run) once, without an arithmetic.
nlohmann::json peaks_of(Store& store, const DeviceInfo& device) {
  nlohmann::json peaks = nlohmann::json::array();
  double measured_bytes_per_s = 0;
  for (const char* arithmetic : {"fp32", "tf32", "bf16", "fp16"}) {
    auto peak = datasheet_peak(device.name, arithmetic);
    if (!peak) {
      const auto measured = store.measured_peak(device, arithmetic);
      if (measured) peak = *measured;
    }
    if (peak) measured_bytes_per_s = peak->bytes_per_s;
    if (!peak || peak->flops_per_s <= 0) continue;
    peaks.push_back({{"arithmetic", arithmetic},
                     {"flops_per_s", peak->flops_per_s},
                     {"bytes_per_s", peak->bytes_per_s},
                     {"source", peak->source == PeakSource::kMeasured ? "measured" : "datasheet"}});
  }
  if (peaks.empty() && measured_bytes_per_s > 0) {
    peaks.push_back({{"arithmetic", ""},
                     {"flops_per_s", 0.0},
                     {"bytes_per_s", measured_bytes_per_s},
                     {"source", "measured"}});
  }
  return peaks;
}

}  // namespace

boost::asio::awaitable<Reply> handle_devices(Services& services, Session&, nlohmann::json params) {
  ParamsReader reader(params);
  if (const auto finished = reader.finish(); !finished) co_return finished.error();
  const auto list = [&services](Store& store) {
    nlohmann::json devices = nlohmann::json::array();
    for (const DeviceInfo& device : discover_devices(services.machine, services.host)) {
      nlohmann::json entry{{"kind", device.kind},
                           {"index", device.index},
                           {"uuid", device.uuid},
                           {"name", device.name},
                           {"memory_bytes", device.memory.value},
                           {"driver", device.driver},
                           {"compute_capability", device.compute_capability},
                           {"peaks", peaks_of(store, device)}};
      devices.push_back(std::move(entry));
    }
    return devices;
  };
  const nlohmann::json devices = co_await services.writer.run(list);
  const HostInfo& host = services.host;
  co_return nlohmann::json{{"host",
                            {{"hostname", host.hostname},
                             {"cpu", host.cpu_model},
                             {"cores", host.cores},
                             {"memory_bytes", host.memory.value},
                             {"kernel", host.kernel},
                             {"os", host.os},
                             {"governor", host.governor}}},
                           {"devices", devices}};
}

}  // namespace sweepd
