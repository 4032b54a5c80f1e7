// The limits of this process's control group. A container or a batch job may use less than the
// machine has: it is killed if it uses more memory, and stopped for a while if it uses more CPU
// time. Both versions of control groups are read; `root` is where /proc and /sys are.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "runner/base/units.h"

namespace sweepd {

// Returns the smallest limit from this process's group up to the root, of cgroup v2 (memory.max) or
// v1 (memory.limit_in_bytes); empty if there is none.
std::optional<Bytes> cgroup_memory_limit(const std::filesystem::path& root = "/");

// Returns the smallest quota of CPU time from this process's group up to the root, of v2 (cpu.max)
// or v1 (cpu.cfs_quota_us and cpu.cfs_period_us), in cores: 0.3 is 30 ms in each period of 100 ms.
// Empty if there is none.
std::optional<double> cgroup_cpu_quota(const std::filesystem::path& root = "/");

// How often a quota was used up, since the groups exist (cpu.stat). The kernel then stops all
// processes of the group until the period ends.
struct CpuThrottling {
  std::int64_t periods = 0;    // in which a process of the group ran
  std::int64_t throttled = 0;  // of these: stopped before their end
};
// Of this process's group and all above it together; empty if none of them counts.
std::optional<CpuThrottling> cgroup_cpu_throttling(const std::filesystem::path& root = "/");

// Returns how many cores an attempt may lease: as many as the affinity mask has, but no more than
// the quota rounded down, so that a lease that is busy all the time stays within it. At least one.
std::int64_t cores_within_quota(std::int64_t cores, const std::optional<double>& quota);

}  // namespace sweepd
