#include "runner/daemon/handlers/handlers.h"
#include "runner/daemon/handlers/make_table.h"

namespace sweepd {

boost::asio::awaitable<Answer<rpc::Query>> handle_query(ReadServices& services, Session&,
                                                        rpc::Query::Request request) {
  const auto ask = [&services, &request](Reader& r) {
    return make_table(r, services.catalog, request);
  };
  auto table = co_await services.readers.run(ask);
  if (!table) co_return table.error();
  co_return rpc::Query::Reply{std::move(*table)};
}

}  // namespace sweepd
