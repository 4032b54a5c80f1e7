#include "runner/daemon/attempts/paused_devices.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>

namespace sweepd {

PausedDevices PausedDeviceList::for_scheduler() const {
  PausedDevices paused;
  for (const PausedDevice& device : devices_) {
    if (device.kind == "cpu") {
      paused.cpu = true;
    } else {
      paused.gpus.insert(device.uuid);
    }
  }
  return paused;
}

bool PausedDeviceList::has_device_of(const OpenAttempt& attempt) const {
  const PausedDevices paused = for_scheduler();
  return std::ranges::any_of(attempt.lease.ranks, [&](const RankLease& rank) {
    return rank.gpu_uuid.empty() ? paused.cpu : paused.gpus.contains(rank.gpu_uuid);
  });
}

std::string PausedDeviceList::add_faults(const OpenAttempt& attempt, const AttemptRecord& record) {
  std::string words;
  for (const DeviceFault& fault : record.device_faults) {
    if (fault.rank < 0 || fault.rank >= static_cast<int>(attempt.lease.ranks.size())) continue;
    const RankLease& rank = attempt.lease.ranks[static_cast<std::size_t>(fault.rank)];
    if (rank.gpu_uuid.empty()) continue;  // without a GPU there is no GPU fault
    const std::string what = fmt::format("cuda:{}: {}", rank.gpu_index, fault.what);
    if (words.empty()) words = what;
    auto known = std::ranges::find(devices_, rank.gpu_uuid, &PausedDevice::uuid);
    if (known == devices_.end()) {
      known = devices_.insert(devices_.end(), {"cuda", rank.gpu_uuid, record.ended});
    }
    if (!known->fault.empty()) continue;
    known->fault = fault.what;
    known->attempt = attempt.id;
    spdlog::error("{} (attempt {}); it is out of service until: sweepctl resume --device cuda:{}",
                  what, attempt.id, rank.gpu_index);
    DeviceInfo device;
    device.kind = "cuda";
    device.index = rank.gpu_index;
    device.uuid = rank.gpu_uuid;
    for (const Gpu& gpu : machine_.gpus) {
      if (gpu.uuid != rank.gpu_uuid) continue;
      device.name = gpu.name;
      device.memory = gpu.memory;
    }
    // If this fails, the next daemon detects the fault again.
    writer_.run(
        [device, fault, when = record.ended, id = attempt.id](Store& store) {
          return store.take_out_of_service(device, when, fault.what, id);
        },
        [](const Result<void>& stored) {
          if (!stored) spdlog::error("{}", stored.error().message);
        });
  }
  return words;
}

bool PausedDeviceList::leaves_gpus_for(const OpenAttempt& attempt) const {
  const auto in_service = [this](const Gpu& gpu) {
    const auto known = std::ranges::find(devices_, gpu.uuid, &PausedDevice::uuid);
    return known == devices_.end() || known->fault.empty();
  };
  const auto left = std::ranges::count_if(machine_.gpus, in_service);
  return left >= static_cast<std::ptrdiff_t>(std::max<std::size_t>(1, attempt.lease.ranks.size()));
}

}  // namespace sweepd
