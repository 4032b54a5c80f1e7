#include "runner/daemon/handlers/handlers.h"
#include "runner/wire/params.h"

namespace sweepd {

boost::asio::awaitable<Reply> handle_stop(Services& services, Session&, nlohmann::json params) {
  ParamsReader reader(params);
  const bool now = reader.boolean_or("now", false);
  if (const auto finished = reader.finish(); !finished) co_return finished.error();
  const std::size_t running = services.dispatcher.running().size();
  services.stop(now ? StopMode::kNow : StopMode::kDrain);
  co_return nlohmann::json{{"running", running}, {"queued", services.dispatcher.queued()}};
}

}  // namespace sweepd
