// The part of the dispatcher for faulty GPUs of this machine. The worker reports the fault in its
// last event. Nothing new starts on such a GPU until a user puts it back in service. The attempt
// measured nothing because of the machine, so it is queued again while other GPUs are left.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "runner/daemon/attempts/dispatcher.h"

namespace sweepd {

std::string Dispatcher::take_out_of_service(const Run& run, const AttemptRecord& record) {
  // A cluster's manager is responsible for its nodes.
  if (pool_of_attempt(run.attempt) != 0 || outcome_of(record.ending) == Outcome::kDone) return "";
  std::vector<PausedDevice> devices = paused_devices_;
  std::string words;
  for (const DeviceFault& fault : record.device_faults) {
    if (fault.rank < 0 || fault.rank >= run.world_size()) continue;
    const RankLease& rank = run.attempt.lease.ranks[static_cast<std::size_t>(fault.rank)];
    if (rank.gpu_uuid.empty()) continue;  // without a GPU there is no GPU fault
    const std::string what = fmt::format("cuda:{}: {}", rank.gpu_index, fault.what);
    if (words.empty()) words = what;
    auto known = std::ranges::find(devices, rank.gpu_uuid, &PausedDevice::uuid);
    if (known == devices.end()) {
      known = devices.insert(devices.end(), {"cuda", rank.gpu_uuid, record.ended});
    }
    if (!known->fault.empty()) continue;
    known->fault = fault.what;
    known->attempt = run.attempt.id;
    spdlog::error("{} (attempt {}); it is out of service until: sweepctl resume --device cuda:{}",
                  what, run.attempt.id, rank.gpu_index);
    DeviceInfo device;
    device.kind = "cuda";
    device.index = rank.gpu_index;
    device.uuid = rank.gpu_uuid;
    for (const Gpu& gpu : pools_.at(0).pool.machine.gpus) {
      if (gpu.uuid != rank.gpu_uuid) continue;
      device.name = gpu.name;
      device.memory = gpu.memory;
    }
    // If this fails, the next daemon detects the fault again.
    writer_.run(
        [device, fault, when = record.ended, id = run.attempt.id](Store& store) {
          return store.take_out_of_service(device, when, fault.what, id);
        },
        [](const Result<void>& stored) {
          if (!stored) spdlog::error("{}", stored.error().message);
        });
  }
  if (!words.empty()) pause_devices(devices);
  return words;
}

bool Dispatcher::has_other_gpus(const OpenAttempt& attempt) const {
  const auto in_service = [this](const Gpu& gpu) {
    const auto known = std::ranges::find(paused_devices_, gpu.uuid, &PausedDevice::uuid);
    return known == paused_devices_.end() || known->fault.empty();
  };
  const auto left = std::ranges::count_if(pools_.at(0).pool.machine.gpus, in_service);
  return left >= static_cast<std::ptrdiff_t>(std::max<std::size_t>(1, attempt.lease.ranks.size()));
}

}  // namespace sweepd
