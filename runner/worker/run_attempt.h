// One rank of one attempt, from request.json to the `end` event.
//
//   started, work          before anything is allocated, so even a trial that does not fit has them
//   environment
//   step (setup_time)      timing pass: construction of the workload
//   state before           timing pass: after the warm-up
//   step...                timing pass  |  memory...   memory pass  |  kernel..., operator...
//                                                                      profile pass
//   state after
//   fact..., end
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runner/base/clock.h"
#include "runner/base/device_meter.h"
#include "runner/wire/attempt_folder.h"
#include "workloads/api/device.h"
#include "workloads/api/profiler.h"
#include "workloads/api/workload.h"

namespace sweepd {

// The parts that a test replaces.
struct WorkerParts {
  const Registry& registry;
  std::function<std::unique_ptr<Device>(const DeviceOptions&)> make_device;
  std::function<Instant()> now = now_instant;
  std::function<std::unique_ptr<Profiler>(Device&)> make_profiler = sweepd::make_profiler;
  std::function<std::unique_ptr<DeviceMeter>()> make_meter = {};  // none: that of the device
  std::filesystem::path root = "/";                               // where the kernel's files are
};

// Exit codes of the worker. An attempt that failed and wrote its `end` event counts as success.
inline constexpr int kExitOk = 0;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitIo = 74;

int run_attempt(const std::filesystem::path& folder, int rank, const WorkerParts& parts);

}  // namespace sweepd
