#include "runner/daemon/handlers/handlers.h"

namespace sweepd {

boost::asio::awaitable<Answer<rpc::List>> handle_list(ReadServices& services, Session&,
                                                      rpc::List::Request request) {
  const auto ask = [&request](Reader& r) { return r.sweeps(request.limit); };
  auto sweeps = co_await services.readers.run(ask);
  if (!sweeps) co_return sweeps.error();
  co_return rpc::List::Reply{std::move(*sweeps)};
}

}  // namespace sweepd
