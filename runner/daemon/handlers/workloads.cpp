#include "runner/base/text.h"
#include "runner/daemon/handlers/handlers.h"
#include "runner/wire/catalog_json.h"
#include "runner/wire/params.h"

namespace sweepd {

boost::asio::awaitable<Reply> handle_workloads(ReadServices& services, Session&,
                                               nlohmann::json params) {
  ParamsReader reader(params);
  const std::string name = reader.text_or("workload", "");
  if (const auto finished = reader.finish(); !finished) co_return finished.error();
  if (name.empty()) co_return to_json(services.catalog);
  const WorkloadDef* def = services.catalog.find(name);
  if (def == nullptr) {
    co_return Error{ErrorCode::kNotFound,
                    "no workload `" + name + "`" + did_you_mean(name, services.catalog.names()) +
                        "; there are " + join(services.catalog.names(), ", ")};
  }
  co_return to_json(Catalog{{*def}});
}

}  // namespace sweepd
