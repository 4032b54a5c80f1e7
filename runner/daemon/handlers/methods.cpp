#include <spdlog/spdlog.h>

#include <array>
#include <string>
#include <vector>

#include "runner/base/text.h"
#include "runner/daemon/handlers/handlers.h"

namespace sweepd {
namespace {

constexpr std::array kMethods{
    Method{"cancel", handle_cancel}, Method{"devices", handle_devices},
    Method{"list", handle_list},     Method{"log", handle_log},
    Method{"plan", handle_plan},     Method{"query", handle_query},
    Method{"report", handle_report}, Method{"retry", handle_retry},
    Method{"show", handle_show},     Method{"status", handle_status},
    Method{"stop", handle_stop},     Method{"submit", handle_submit},
    Method{"watch", handle_watch},   Method{"workloads", handle_workloads},
};

}  // namespace

std::span<const Method> methods() {
  return kMethods;
}

boost::asio::awaitable<Reply> call(Services& services, Session& session, RpcRequest request) {
  for (const Method& method : kMethods) {
    if (method.name != request.method) continue;
    try {
      co_return co_await method.handle(services, session, std::move(request.params));
    } catch (const std::exception& e) {
      spdlog::error("{}: {}", method.name, e.what());
      co_return RpcError{RpcCode::kInternal, std::string(method.name) + ": " + e.what(), nullptr};
    }
  }
  std::vector<std::string> names;
  for (const Method& method : kMethods) names.emplace_back(method.name);
  co_return RpcError{RpcCode::kMethodNotFound,
                     "no method `" + request.method + "`" + did_you_mean(request.method, names),
                     nullptr};
}

}  // namespace sweepd
