#include <unistd.h>

#include "build_info.h"
#include "runner/daemon/handlers/handlers.h"
#include "runner/daemon/serving/device_names.h"
#include "runner/daemon/serving/entries.h"

namespace sweepd {

boost::asio::awaitable<Answer<rpc::Status>> handle_status(Services& services, Session&,
                                                          rpc::Status::Request) {
  rpc::Status::Reply status;
  status.version = kVersion;
  status.commit = kBuildCommit;
  status.pid = ::getpid();
  status.state_folder = services.state.path();
  status.database = services.state.database();
  status.queued = static_cast<std::int64_t>(services.dispatcher.queued());
  status.held = static_cast<std::int64_t>(services.dispatcher.held());
  for (const RunningAttempt& run : services.dispatcher.running()) {
    status.running.push_back(entry_of(run));
  }
  for (const GivenAttempt& given : services.dispatcher.given()) {
    status.given.push_back(entry_of(given));
  }
  std::vector<PausedDevice> paused;
  for (const PausedDevice& device : services.dispatcher.paused_devices()) {
    if (device.fault.empty()) {
      paused.push_back(device);
    } else {
      status.out_of_service.push_back({names_of({device}, services.machine).front(), device.fault,
                                       device.attempt, device.since});
    }
  }
  status.paused_devices = names_of(paused, services.machine);
  status.longest_hold = services.loop.longest();
  status.trouble = services.dispatcher.trouble();
  co_return status;
}

}  // namespace sweepd
