#include "runner/daemon/handlers/handlers.h"
#include "runner/daemon/handlers/sweep_json.h"
#include "runner/wire/params.h"

namespace sweepd {

boost::asio::awaitable<Reply> handle_list(ReadServices& services, Session&, nlohmann::json params) {
  ParamsReader reader(params);
  const std::int64_t limit = reader.integer_or("limit", 50, 0);
  if (const auto finished = reader.finish(); !finished) co_return finished.error();
  const auto ask = [limit](Reader& r) { return r.sweeps(limit); };
  const auto sweeps = co_await services.readers.run(ask);
  if (!sweeps) co_return sweeps.error();
  nlohmann::json list = nlohmann::json::array();
  for (const SweepRow& sweep : *sweeps) list.push_back(to_json(sweep));
  co_return nlohmann::json{{"sweeps", list}};
}

}  // namespace sweepd
