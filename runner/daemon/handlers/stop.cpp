#include "runner/daemon/handlers/handlers.h"

namespace sweepd {

boost::asio::awaitable<Answer<rpc::Stop>> handle_stop(Services& services, Session&,
                                                      rpc::Stop::Request request) {
  const auto running = static_cast<std::int64_t>(services.dispatcher.running().size());
  services.stop(request.now ? StopMode::kNow : StopMode::kDrain);
  co_return rpc::Stop::Reply{running, static_cast<std::int64_t>(services.dispatcher.queued())};
}

}  // namespace sweepd
