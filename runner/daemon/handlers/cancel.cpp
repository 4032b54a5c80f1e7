#include "runner/daemon/handlers/handlers.h"
#include "runner/wire/params.h"

namespace sweepd {

boost::asio::awaitable<Reply> handle_cancel(Services& services, Session&, nlohmann::json params) {
  ParamsReader reader(params);
  const std::string who = reader.text("sweep");
  if (const auto finished = reader.finish(); !finished) co_return finished.error();
  const auto ask = [who](Reader& r) { return r.find_sweep(who); };
  const auto sweep = co_await services.readers.run(ask);
  if (!sweep) co_return sweep.error();
  const auto receipt = services.store.cancel_sweep(sweep->id, now_wall());
  if (!receipt) co_return receipt.error();
  services.dispatcher.forget(receipt->ended);
  services.dispatcher.stop(receipt->running);
  co_return nlohmann::json{{"sweep", sweep->id},
                           {"name", sweep->name},
                           {"cancelled", receipt->ended.size()},
                           {"stopping", receipt->running.size()}};
}

}  // namespace sweepd
