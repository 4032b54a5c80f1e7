#include "runner/daemon/handlers/handlers.h"
#include "runner/wire/params.h"

namespace sweepd {
boost::asio::awaitable<Reply> handle_retry(Services& services, Session&, nlohmann::json params) {
  ParamsReader reader(params);
  const std::string who = reader.text("sweep");
  const std::vector<std::string> which = reader.texts("which");
  if (const auto finished = reader.finish(); !finished) co_return finished.error();
  const auto ask = [who](Reader& r) { return r.find_sweep(who); };
  const auto sweep = co_await services.readers.run(ask);
  if (!sweep) co_return sweep.error();
  const auto queue_again = [&](Store& store) {
    return store.retry_sweep(sweep->id, which, now_wall());
  };
  auto receipt = co_await services.writer.run(queue_again);
  if (!receipt) co_return receipt.error();
  const std::int64_t queued = receipt->attempts_queued;
  services.dispatcher.enqueue(std::move(receipt->queued));
  co_return nlohmann::json{{"sweep", sweep->id}, {"name", sweep->name}, {"queued", queued}};
}

}  // namespace sweepd
