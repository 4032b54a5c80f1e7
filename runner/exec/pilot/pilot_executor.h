// The executor of a pool with a cluster's manager. The pilots belong to its own thread, because the
// shared folder may keep a reader waiting. The daemon's thread sends it messages and reads its
// events and a copy of its state.
#pragma once

#include <functional>
#include <memory>

#include "runner/exec/executor.h"
#include "runner/exec/pilot/cluster_manager.h"
#include "runner/exec/pilot/pilot_settings.h"

namespace sweepd {

// The thread of the pilots calls the function that it is given. From any thread.
using CallPilots = std::function<void(std::function<void()>)>;
using MakeManager = std::function<std::unique_ptr<ClusterManager>(CallPilots)>;

// Has an `inspector`. Only `adopt` waits for folders and commands.
std::unique_ptr<Executor> make_pilot_executor(PilotSettings settings, const MakeManager& make);

}  // namespace sweepd
