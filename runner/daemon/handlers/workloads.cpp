#include "runner/base/text.h"
#include "runner/daemon/handlers/handlers.h"

namespace sweepd {

boost::asio::awaitable<Answer<rpc::Workloads>> handle_workloads(ReadServices& services, Session&,
                                                                rpc::Workloads::Request request) {
  const std::string& name = request.workload;
  if (name.empty()) co_return services.catalog;
  const WorkloadDef* def = services.catalog.find(name);
  if (def == nullptr) {
    co_return Error{ErrorCode::kNotFound,
                    "no workload `" + name + "`" + did_you_mean(name, services.catalog.names()) +
                        "; there are " + join(services.catalog.names(), ", ")};
  }
  co_return Catalog{{*def}};
}

}  // namespace sweepd
