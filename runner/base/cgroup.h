// The memory limit of this process's control group. A container or a batch job may use less than
// the machine has, and is killed if it uses more.
#pragma once

#include <filesystem>
#include <optional>

#include "runner/base/units.h"

namespace sweepd {

// Returns the smallest limit from this process's group up to the root, of cgroup v2 (memory.max) or
// v1 (memory.limit_in_bytes); empty if there is none. `root` is where /proc and /sys are.
std::optional<Bytes> cgroup_memory_limit(const std::filesystem::path& root = "/");

}  // namespace sweepd
