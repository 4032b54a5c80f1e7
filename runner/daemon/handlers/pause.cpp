#include "runner/daemon/handlers/handlers.h"
#include "runner/daemon/handlers/pausing.h"

namespace sweepd {

boost::asio::awaitable<Answer<rpc::Pause>> handle_pause(Services& services, Session&,
                                                        rpc::Pause::Request request) {
  const ChangePause pause = [&request](Store& store, const std::vector<SweepId>& ids) {
    return request.all ? store.pause_all(now_wall()) : store.pause_sweeps(ids, now_wall());
  };
  auto sweeps =
      co_await change_pause(services, request.sweeps, request.all, !request.devices.empty(), pause);
  if (!sweeps) co_return sweeps.error();
  auto devices = co_await change_devices(services, request.devices, DeviceChange::kPause);
  if (!devices) co_return devices.error();
  co_return rpc::Pause::Reply{std::move(*sweeps), std::move(*devices)};
}

}  // namespace sweepd
