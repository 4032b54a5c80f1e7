#include "runner/daemon/handlers/handlers.h"
#include "runner/daemon/handlers/make_table.h"
#include "runner/wire/table_json.h"

namespace sweepd {

boost::asio::awaitable<Reply> handle_query(ReadServices& services, Session&,
                                           nlohmann::json params) {
  auto query = query_from_json(params);
  if (!query) co_return query.error();
  const auto ask = [&services, spec = *query](Reader& r) {
    return make_table(r, services.catalog, spec);
  };
  const auto table = co_await services.readers.run(ask);
  if (!table) co_return table.error();
  co_return nlohmann::json{{"table", to_json(*table)}};
}

}  // namespace sweepd
