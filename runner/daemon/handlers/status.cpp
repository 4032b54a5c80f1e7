#include <unistd.h>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>

#include "build_info.h"
#include "runner/daemon/handlers/handlers.h"
#include "runner/daemon/serving/device_names.h"
#include "runner/daemon/serving/entries.h"

namespace sweepd {
namespace {

// The wait for a shared folder, which usually answers in milliseconds.
constexpr std::chrono::milliseconds kLookAfter{10};
constexpr int kLooks = 20;

// Reads the status pages of attempts in clusters again, so that users see the current step.
boost::asio::awaitable<void> read_places(const Services& services) {
  services.dispatcher.running();
  boost::asio::steady_timer timer(services.io);
  for (int look = 0; look < kLooks && services.dispatcher.is_reading_places(); ++look) {
    timer.expires_after(kLookAfter);
    co_await timer.async_wait(boost::asio::use_awaitable);
  }
}

}  // namespace

boost::asio::awaitable<Answer<rpc::Status>> handle_status(Services& services, Session&,
                                                          rpc::Status::Request) {
  co_await read_places(services);
  rpc::Status::Reply status;
  status.version = kVersion;
  status.commit = kBuildCommit;
  status.pid = ::getpid();
  status.state_folder = services.state.path();
  status.database = services.state.database();
  status.queued =
      static_cast<std::int64_t>(services.dispatcher.queued() + services.analyst.pending());
  status.held = static_cast<std::int64_t>(services.dispatcher.held());
  for (const RunningAttempt& run : services.dispatcher.running()) {
    status.running.push_back(entry_of(run));
  }
  for (const GivenAttempt& given : services.dispatcher.given()) {
    status.given.push_back(entry_of(given));
  }
  IdleDevices idle = idle_devices(services.dispatcher.paused_devices(), services.machine);
  status.paused_devices = std::move(idle.paused);
  status.out_of_service = std::move(idle.out_of_service);
  status.longest_hold = services.loop.longest();
  status.trouble = services.dispatcher.trouble();
  co_return status;
}

}  // namespace sweepd
