#include "runner/daemon/handlers/handlers.h"
#include "runner/daemon/serving/entries.h"

namespace sweepd {

boost::asio::awaitable<Answer<rpc::List>> handle_list(ReadServices& services, Session&,
                                                      rpc::List::Request request) {
  const auto ask = [&request](Reader& r) { return r.sweeps(request.limit); };
  const auto sweeps = co_await services.readers.run(ask);
  if (!sweeps) co_return sweeps.error();
  rpc::List::Reply reply;
  for (const SweepRow& sweep : *sweeps) reply.sweeps.push_back(entry_of(sweep));
  co_return reply;
}

}  // namespace sweepd
