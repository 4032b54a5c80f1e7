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
  const auto cancel = [&sweep](Store& store) { return store.cancel_sweep(sweep->id, now_wall()); };
  auto receipt = co_await services.writer.run(cancel);
  if (!receipt) co_return receipt.error();
  nlohmann::json reply{{"sweep", sweep->id},
                       {"name", sweep->name},
                       {"cancelled", receipt->ended.size()},
                       {"stopping", receipt->running.size()}};
  services.dispatcher.forget(std::move(receipt->ended));
  services.dispatcher.stop(receipt->running);
  co_return reply;
}

}  // namespace sweepd
