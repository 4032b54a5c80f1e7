#include "runner/daemon/handlers/handlers.h"
#include "runner/daemon/handlers/sweep_json.h"
#include "runner/wire/params.h"

namespace sweepd {

boost::asio::awaitable<Reply> handle_list(ReadServices& services, Session&, nlohmann::json params) {
  ParamsReader reader(params);
  const std::int64_t limit = reader.integer_or("limit", 50, 0);
  if (const auto finished = reader.finish(); !finished) co_return finished.error();
  const auto ask = [limit](Reader& r) -> Result<nlohmann::json> {
    const auto sweeps = r.sweeps(limit);
    if (!sweeps) return sweeps.error();
    nlohmann::json list = nlohmann::json::array();
    for (const SweepRow& sweep : *sweeps) list.push_back(to_json(sweep));
    return nlohmann::json{{"sweeps", std::move(list)}};
  };
  auto answer = co_await services.readers.run(ask);
  if (!answer) co_return answer.error();
  co_return std::move(*answer);
}

}  // namespace sweepd
