// Users' names for the devices of this machine: `cpu`, `cuda:0`, `cuda` for all GPUs.
#pragma once

#include <string>
#include <vector>

#include "db/store/store.h"
#include "runner/base/result.h"
#include "runner/model/machine/environment.h"
#include "runner/model/machine/lease.h"
#include "runner/wire/messages/rows.h"

namespace sweepd {

std::string name_of(const DeviceInfo& device);

// Those of `devices` that are named, each once. An error names the existing ones.
Result<std::vector<DeviceInfo>> find_devices(const std::vector<DeviceInfo>& devices,
                                             const std::vector<std::string>& names);

// The devices on which nothing new starts. One that this machine no longer has is named by its
// uuid.
struct IdleDevices {
  std::vector<std::string> paused;  // by somebody
  std::vector<rpc::OutOfServiceEntry> out_of_service;
};
IdleDevices idle_devices(const std::vector<PausedDevice>& devices, const Machine& machine);

}  // namespace sweepd
