#include "runner/worker/sampling.h"

#include <fmt/format.h>

#include <cstdlib>
#include <set>
#include <string>
#include <utility>

#include "runner/base/core_list.h"
#include "runner/base/cpu_meter.h"
#include "runner/base/gpu_meter.h"
#include "runner/base/proc.h"
#include "runner/base/text.h"

namespace sweepd {
namespace {

namespace fs = std::filesystem;

std::vector<int> cores_in(const fs::path& file) {
  return from_core_list(trim(read_small_file(file)));
}

}  // namespace

std::optional<std::vector<int>> spare_cores(const Lease& lease, const RankCores& own,
                                            std::string_view device_kind, const fs::path& root) {
  if (device_kind != "cpu") return own.count > 1 ? std::optional(own.bound) : std::nullopt;
  const fs::path cpus = root / "sys/devices/system/cpu";
  std::set<int> used;
  for (const RankLease& rank : lease.ranks) {
    for (const int core : rank.cores) {
      used.insert(core);
      const fs::path siblings = cpus / fmt::format("cpu{}/topology/thread_siblings_list", core);
      for (const int sibling : cores_in(siblings)) used.insert(sibling);
    }
  }
  if (used.empty()) return std::nullopt;
  std::vector<int> spare;
  for (const int core : cores_in(cpus / "online")) {
    if (!used.contains(core)) spare.push_back(core);
  }
  return spare.empty() ? std::nullopt : std::optional(std::move(spare));
}

std::unique_ptr<DeviceMeter> open_device_meter(Device& device, const RankCores& own,
                                               const fs::path& root) {
  if (device.kind() == "cuda") return open_gpu_meter(device.info().uuid);
  return device.kind() == "cpu" ? open_cpu_meter(own.bound, root) : nullptr;
}

std::unique_ptr<DeviceSampler> start_sampling(const Lease& lease, const RankCores& own,
                                              Device& device, const WorkerParts& parts) {
  if (std::getenv("SWEEPD_NO_SAMPLING") != nullptr) return nullptr;
  auto cores = spare_cores(lease, own, device.kind(), parts.root);
  if (!cores) return nullptr;
  auto meter = parts.make_meter ? parts.make_meter() : open_device_meter(device, own, parts.root);
  if (!meter) return nullptr;
  return std::make_unique<DeviceSampler>(std::move(meter), std::move(*cores));
}

}  // namespace sweepd
