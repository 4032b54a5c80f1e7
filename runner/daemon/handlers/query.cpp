#include "runner/daemon/handlers/handlers.h"
#include "runner/daemon/handlers/make_table.h"
#include "runner/wire/table_json.h"

namespace sweepd {

boost::asio::awaitable<Reply> handle_query(ReadServices& services, Session&,
                                           nlohmann::json params) {
  auto query = query_from_json(params);
  if (!query) co_return query.error();
  const auto ask = [&services, spec = *query](Reader& r) -> Result<nlohmann::json> {
    const auto table = make_table(r, services.catalog, spec);
    if (!table) return table.error();
    return nlohmann::json{{"table", to_json(*table)}};
  };
  auto answer = co_await services.readers.run(ask);
  if (!answer) co_return answer.error();
  co_return std::move(*answer);
}

}  // namespace sweepd
