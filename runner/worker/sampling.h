// Where the device is sampled beside the steps (passes/device_sampler.h), and whether.
//
// The thread must not take time from the steps. Those of a GPU are issued by one thread, so any
// other of the rank's cores will do. A CPU timing has the whole host to itself, and its steps use
// all of its leased cores: the thread needs one outside the lease.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "runner/model/machine/lease.h"
#include "runner/worker/passes/device_sampler.h"
#include "runner/worker/placement.h"
#include "runner/worker/run_attempt.h"
#include "workloads/api/device.h"

namespace sweepd {

// Returns the cores for the thread; empty: those of the rank. Nothing if none is spare, and for
// CPUs of a cluster, whose other cores may have other users. A hardware thread beside a leased one
// is not spare. `root` has the kernel's files.
std::optional<std::vector<int>> spare_cores(const Lease& lease, const RankCores& own,
                                            std::string_view device_kind,
                                            const std::filesystem::path& root);

// NVML of a GPU, the kernel's files of the CPU cores; null where they report nothing.
std::unique_ptr<DeviceMeter> open_device_meter(Device& device, const RankCores& own,
                                               const std::filesystem::path& root);

// Null without spare cores or a meter, or if SWEEPD_NO_SAMPLING is set.
std::unique_ptr<DeviceSampler> start_sampling(const Lease& lease, const RankCores& own,
                                              Device& device, const WorkerParts& parts);

}  // namespace sweepd
