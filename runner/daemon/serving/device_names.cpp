#include "runner/daemon/serving/device_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "runner/base/text.h"

namespace sweepd {

std::string name_of(const DeviceInfo& device) {
  return device.kind == "cpu" ? device.kind : fmt::format("{}:{}", device.kind, device.index);
}

Result<std::vector<DeviceInfo>> find_devices(const std::vector<DeviceInfo>& devices,
                                             const std::vector<std::string>& names) {
  std::vector<DeviceInfo> found;
  for (const std::string& name : names) {
    bool any = false;
    for (const DeviceInfo& device : devices) {
      if (name != name_of(device) && name != device.kind) continue;
      any = true;
      const auto is_it = [&](const DeviceInfo& other) { return other.uuid == device.uuid; };
      if (std::ranges::none_of(found, is_it)) found.push_back(device);
    }
    if (any) continue;
    std::vector<std::string> known;
    for (const DeviceInfo& device : devices) known.push_back(name_of(device));
    return Error{ErrorCode::kNotFound, fmt::format("this machine has no device `{}`; it has {}",
                                                   name, join(known, ", "))};
  }
  return found;
}

IdleDevices idle_devices(const std::vector<PausedDevice>& devices, const Machine& machine) {
  IdleDevices idle;
  for (const PausedDevice& device : devices) {
    const auto gpu = std::ranges::find(machine.gpus, device.uuid, &Gpu::uuid);
    std::string name = device.uuid;
    if (device.kind == "cpu") name = "cpu";
    if (gpu != machine.gpus.end()) name = fmt::format("{}:{}", device.kind, gpu->index);
    if (device.fault.empty()) {
      idle.paused.push_back(std::move(name));
    } else {
      idle.out_of_service.push_back({std::move(name), device.fault, device.attempt, device.since});
    }
  }
  return idle;
}

}  // namespace sweepd
