#include "runner/daemon/handlers/handlers.h"

namespace sweepd {
boost::asio::awaitable<Answer<rpc::Retry>> handle_retry(Services& services, Session&,
                                                        rpc::Retry::Request request) {
  const auto ask = [&request](Reader& r) { return r.find_sweep(request.sweep); };
  const auto sweep = co_await services.readers.run(ask);
  if (!sweep) co_return sweep.error();
  const auto queue_again = [&](Store& store) {
    return store.retry_sweep(sweep->id, request.which, now_wall(), services.machine_now.refresh(),
                             request.insist ? Insist::kYes : Insist::kNo);
  };
  auto receipt = co_await services.writer.run(queue_again);
  if (!receipt) co_return receipt.error();
  const std::int64_t queued = receipt->attempts_queued;
  services.notifier.expect();
  services.dispatcher.enqueue(std::move(receipt->queued));
  services.dispatcher.set_holds(std::move(receipt->holds));
  co_return rpc::Retry::Reply{.sweep = sweep->id,
                              .name = sweep->name,
                              .queued = queued,
                              .paused = receipt->is_paused,
                              .left_out = receipt->attempts_skipped,
                              .left_out_because = receipt->skipped_because};
}

}  // namespace sweepd
