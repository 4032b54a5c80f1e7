// Finds the sweep-worker that a program starts, in one place, so that `sweepctl doctor` checks the
// daemon's worker.
#pragma once

#include <filesystem>

namespace sweepd {

// The one that $SWEEPD_WORKER names, else `worker_of` the folder of this program.
std::filesystem::path worker_program();

// The worker of programs in `folder`: the one with LibTorch that the package sweepd-torch adds to a
// torch-free installation, else the one beside them.
std::filesystem::path worker_of(const std::filesystem::path& folder);

// The worker without LibTorch beside `sweep-worker`; "" if there is none, or the worker is another
// program.
std::filesystem::path light_worker_of(const std::filesystem::path& worker);

}  // namespace sweepd
