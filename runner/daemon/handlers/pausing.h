// Shared by `pause` and `resume`: finds sweeps, changes them, and informs the dispatcher.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <string>
#include <vector>

#include "runner/daemon/serving/services.h"
#include "runner/wire/messages/pause.h"

namespace sweepd {

// Runs on the writer's thread, with the ids of the named sweeps.
using ChangePause =
    std::function<Result<Store::PauseReceipt>(Store&, const std::vector<SweepId>& sweeps)>;

// `all` stands for no names, and without either devices must be named, which exclude names. Changes
// nothing if one of the names is wrong.
boost::asio::awaitable<Result<std::vector<PausedSweep>>> change_pause(
    Services& services, const std::vector<std::string>& names, bool all, bool devices,
    ChangePause change);

// Pauses or resumes devices by their names. `changed` tells for each whether this changed it.
enum class DeviceChange { kPause, kResume };
boost::asio::awaitable<Result<std::vector<rpc::ChangedDevice>>> change_devices(
    Services& services, const std::vector<std::string>& names, DeviceChange change);

}  // namespace sweepd
