#include "runner/daemon/handlers/handlers.h"

namespace sweepd {

boost::asio::awaitable<Answer<rpc::Stop>> handle_stop(Services& services, Session&,
                                                      rpc::Stop::Request request) {
  rpc::Stop::Reply reply;
  for (const RunningAttempt& run : services.dispatcher.running()) {
    ++(run.pool == kLocalPool ? reply.running : reply.elsewhere);
  }
  services.stop(request.now ? StopMode::kNow : StopMode::kDrain);
  reply.queued =
      static_cast<std::int64_t>(services.dispatcher.queued() + services.analyst.pending());
  co_return reply;
}

}  // namespace sweepd
