#include "runner/daemon/handlers/handlers.h"

namespace sweepd {

boost::asio::awaitable<Answer<rpc::Cancel>> handle_cancel(Services& services, Session&,
                                                          rpc::Cancel::Request request) {
  const auto ask = [&request](Reader& r) { return r.find_sweep(request.sweep); };
  const auto sweep = co_await services.readers.run(ask);
  if (!sweep) co_return sweep.error();
  const auto cancel = [&sweep](Store& store) { return store.cancel_sweep(sweep->id, now_wall()); };
  auto receipt = co_await services.writer.run(cancel);
  if (!receipt) co_return receipt.error();
  const auto ended = static_cast<std::int64_t>(receipt->ended.size());
  const auto running = static_cast<std::int64_t>(receipt->running.size());
  rpc::Cancel::Reply reply{sweep->id, sweep->name, ended + receipt->given,
                           running - receipt->given};
  services.dispatcher.set_holds(std::move(receipt->holds));
  services.dispatcher.forget(std::move(receipt->ended));
  services.dispatcher.stop(receipt->running);
  co_return reply;
}

}  // namespace sweepd
