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

rpc::PoolEntry entry_of(const std::string& name, const Result<PoolStatus>& status) {
  rpc::PoolEntry entry;
  entry.name = name;
  if (!status) {
    entry.problem = status.error().message;
    return entry;
  }
  for (const PoolNodes& nodes : status->nodes) {
    entry.nodes.push_back({.state = nodes.state,
                           .names = nodes.names,
                           .gpu = nodes.gpu,
                           .reason = nodes.reason,
                           .usable = nodes.usable,
                           .count = nodes.count,
                           .cores = nodes.cores,
                           .gpus = nodes.gpus,
                           .memory = nodes.memory});
  }
  for (const PoolAllocation& job : status->allocations) {
    entry.jobs.push_back({job.id, job.state, job.nodes, job.reason, job.starts, job.ends});
  }
  return entry;
}

// Asks the clusters' managers, which takes a while.
std::vector<rpc::PoolEntry> clusters_of(const Pools& pools) {
  std::vector<rpc::PoolEntry> entries;
  for (const PoolUse& use : pools) {
    PoolInspector* inspector = use.executor->inspector();
    if (inspector != nullptr) entries.push_back(entry_of(use.pool.name, inspector->status()));
  }
  return entries;
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
                         .peaks = peaks_of(store, device),
                         .no_peak = why_no_peak(store, device),
                         .paused = {}});
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
  const HostInfo& host = services.host;
  rpc::HostEntry entry{.hostname = host.hostname,
                       .cpu = host.cpu_model,
                       .kernel = host.kernel,
                       .os = host.os,
                       .governor = host.governor,
                       .cores = host.cores,
                       .memory = host.memory};
  const auto ask = [&services] { return clusters_of(services.dispatcher.pools()); };
  std::vector<rpc::PoolEntry> pools = co_await services.slow.compute(ask);
  for (rpc::PoolEntry& pool : pools) {
    const auto index = services.dispatcher.pools().find(pool.name);
    if (index) pool.trouble = services.dispatcher.silence_of(*index);
  }
  co_return rpc::Devices::Reply{std::move(entry), std::move(devices), std::move(pools)};
}

}  // namespace sweepd
