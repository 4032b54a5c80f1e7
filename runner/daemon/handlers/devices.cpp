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

std::string why_no_peak(Store& store, const DeviceInfo& device) {
  if (datasheet_peak(device.name, "fp32")) return "";
  const auto why = store.why_no_peak(device);
  return why ? *why : "";
}

// Asks the clusters' managers, which takes a while.
std::vector<PoolStatus> clusters_of(const Pools& pools) {
  std::vector<PoolStatus> all;
  for (const PoolUse& use : pools) {
    PoolInspector* inspector = use.executor->inspector();
    if (inspector == nullptr) continue;
    auto status = inspector->status();
    PoolStatus& one = all.emplace_back();
    if (status) one = std::move(*status);
    if (!status) one.problem = status.error().message;
    one.name = use.pool.name;
  }
  return all;
}

}  // namespace

boost::asio::awaitable<Answer<rpc::Devices>> handle_devices(Services& services, Session&,
                                                            rpc::Devices::Request) {
  const auto list = [&services](Store& store) {
    std::vector<rpc::DeviceEntry> devices;
    for (const DeviceInfo& device : discover_devices(services.machine, services.host)) {
      devices.push_back({device, peaks_of(store, device), why_no_peak(store, device)});
    }
    return devices;
  };
  std::vector<rpc::DeviceEntry> devices = co_await services.writer.run(list);
  for (const PausedDevice& paused : services.dispatcher.paused_devices()) {
    for (rpc::DeviceEntry& device : devices) {
      if (device.uuid != paused.uuid || device.kind != paused.kind) continue;
      device.paused = paused.since;
      device.fault = paused.fault;
      device.fault_attempt = paused.attempt;
    }
  }
  const auto ask = [&services] { return clusters_of(services.dispatcher.pools()); };
  std::vector<PoolStatus> pools = co_await services.slow.compute(ask);
  for (PoolStatus& pool : pools) {
    const auto index = services.dispatcher.pools().find(pool.name);
    if (index) pool.trouble = services.dispatcher.silence_of(*index);
  }
  co_return rpc::Devices::Reply{{services.host}, std::move(devices), std::move(pools)};
}

}  // namespace sweepd
