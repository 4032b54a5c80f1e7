#include "runner/base/text.h"
#include "runner/daemon/handlers/handlers.h"
#include "runner/model/vocabulary/plugin.h"

namespace sweepd {

boost::asio::awaitable<Answer<rpc::Workloads>> handle_workloads(ReadServices& services, Session&,
                                                                rpc::Workloads::Request request) {
  const std::string& name = request.workload;
  if (name.empty()) co_return services.catalog;
  if (names_plugin_file(name)) {
    if (!services.describe_plugin) {
      co_return Error{ErrorCode::kFailedPrecondition,
                      "workload `" + name + "`: only a daemon describes a plugin's file"};
    }
    const auto describe = [&] { return services.describe_plugin(name); };
    auto described = co_await services.slow.compute(describe);
    if (!described) co_return described.error();
    co_return Catalog{{std::move(*described)}};
  }
  const WorkloadDef* def = services.catalog.find(name);
  if (def == nullptr) {
    co_return Error{ErrorCode::kNotFound,
                    "no workload `" + name + "`" + did_you_mean(name, services.catalog.names()) +
                        "; there are " + join(services.catalog.names(), ", ")};
  }
  co_return Catalog{{*def}};
}

}  // namespace sweepd
