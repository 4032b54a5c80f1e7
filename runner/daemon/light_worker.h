// The worker without LibTorch that forks attempts in jobs of a cluster.
#pragma once

#include <filesystem>

#include "runner/exec/pilot/pilot_settings.h"
#include "runner/model/vocabulary/catalog.h"

namespace sweepd {

// The one beside `worker`, with the workloads whose code is that of `catalog`: a build may have
// renewed one worker and not the other. Nothing if there is none, or if it is of another commit
// than this program. Asks it, which takes some milliseconds.
LightWorker find_light_worker(const std::filesystem::path& worker, const Catalog& catalog);

}  // namespace sweepd
