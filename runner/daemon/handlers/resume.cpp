#include "runner/daemon/handlers/handlers.h"
#include "runner/daemon/handlers/pausing.h"

namespace sweepd {

boost::asio::awaitable<Answer<rpc::Resume>> handle_resume(Services& services, Session&,
                                                          rpc::Resume::Request request) {
  const ChangePause resume = [&request](Store& store, const std::vector<SweepId>& ids) {
    return request.all ? store.resume_all() : store.resume_sweeps(ids);
  };
  auto sweeps = co_await change_pause(services, request.sweeps, request.all,
                                      !request.devices.empty(), resume);
  if (!sweeps) co_return sweeps.error();
  auto devices = co_await change_devices(services, request.devices, DeviceChange::kResume);
  if (!devices) co_return devices.error();
  co_return rpc::Resume::Reply{std::move(*sweeps), std::move(*devices)};
}

}  // namespace sweepd
