#include "runner/daemon/handlers/handlers.h"
#include "runner/exec/machine.h"

namespace sweepd {
namespace {

// Returns a bandwidth alone (if only `memcpy` has run) once, without an arithmetic.
std::vector<rpc::PeakEntry> peaks_of(Store& store, const DeviceInfo& device) {
  std::vector<rpc::PeakEntry> peaks;
  double measured_bytes_per_s = 0;
  for (const char* arithmetic : {"fp32", "tf32", "bf16", "fp16"}) {
    auto peak = datasheet_peak(device.name, arithmetic);
    if (!peak) {
      const auto measured = store.measured_peak(device, arithmetic);
      if (measured) peak = *measured;
    }
    if (peak) measured_bytes_per_s = peak->bytes_per_s;
    if (!peak || peak->flops_per_s <= 0) continue;
    peaks.push_back({arithmetic, peak->source == PeakSource::kMeasured ? "measured" : "datasheet",
                     peak->flops_per_s, peak->bytes_per_s});
  }
  if (peaks.empty() && measured_bytes_per_s > 0) {
    peaks.push_back({"", "measured", 0, measured_bytes_per_s});
  }
  return peaks;
}

}  // namespace

boost::asio::awaitable<Answer<rpc::Devices>> handle_devices(Services& services, Session&,
                                                            rpc::Devices::Request) {
  const auto list = [&services](Store& store) {
    std::vector<rpc::DeviceEntry> devices;
    for (const DeviceInfo& device : discover_devices(services.machine, services.host)) {
      devices.push_back({.kind = device.kind,
                         .uuid = device.uuid,
                         .name = device.name,
                         .driver = device.driver,
                         .compute_capability = device.compute_capability,
                         .index = device.index,
                         .memory = device.memory,
                         .peaks = peaks_of(store, device)});
    }
    return devices;
  };
  std::vector<rpc::DeviceEntry> devices = co_await services.writer.run(list);
  const HostInfo& host = services.host;
  rpc::HostEntry entry{.hostname = host.hostname,
                       .cpu = host.cpu_model,
                       .kernel = host.kernel,
                       .os = host.os,
                       .governor = host.governor,
                       .cores = host.cores,
                       .memory = host.memory};
  co_return rpc::Devices::Reply{std::move(entry), std::move(devices)};
}

}  // namespace sweepd
