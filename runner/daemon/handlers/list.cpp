#include "runner/daemon/handlers/handlers.h"
#include "runner/daemon/serving/entries.h"

namespace sweepd {

boost::asio::awaitable<Answer<rpc::List>> handle_list(ReadServices& services, Session&,
                                                      rpc::List::Request request) {
  const auto ask = [&request](Reader& r) -> Result<rpc::List::Reply> {
    const auto sweeps = r.sweeps(request.limit);
    if (!sweeps) return sweeps.error();
    rpc::List::Reply reply;
    for (const SweepRow& sweep : *sweeps) reply.sweeps.push_back(entry_of(sweep));
    return reply;
  };
  auto reply = co_await services.readers.run(ask);
  if (!reply) co_return reply.error();
  co_return std::move(*reply);
}

}  // namespace sweepd
