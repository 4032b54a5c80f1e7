#include <fmt/format.h>
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
    Method{"doctor", handle_doctor}, Method{"kernels", handle_kernels},
    Method{"list", handle_list},     Method{"log", handle_log},
    Method{"memory", handle_memory}, Method{"merge", handle_merge},
    Method{"plan", handle_plan},     Method{"query", handle_query},
    Method{"report", handle_report}, Method{"retry", handle_retry},
    Method{"show", handle_show},     Method{"status", handle_status},
    Method{"stop", handle_stop},     Method{"submit", handle_submit},
    Method{"watch", handle_watch},   Method{"workloads", handle_workloads},
};

RpcError needs_daemon(std::string_view name) {
  std::vector<std::string> reading;
  for (const Method& method : kMethods) {
    if (std::holds_alternative<ReadHandler>(method.handle)) reading.emplace_back(method.name);
  }
  return {RpcCode::kInvalidParams,
          fmt::format("`{}` needs the daemon; a database file can only be read, with {}", name,
                      join(reading, ", ")),
          nullptr};
}

}  // namespace

boost::asio::awaitable<Reply> call_handler(ReadServices& reading, Services* all, Session& session,
                                           RpcRequest request) {
  for (const Method& method : kMethods) {
    if (method.name != request.method) continue;
    try {
      if (const auto* read = std::get_if<ReadHandler>(&method.handle)) {
        co_return co_await (*read)(reading, session, std::move(request.params));
      }
      if (all == nullptr) co_return needs_daemon(method.name);
      co_return co_await std::get<Handler>(method.handle)(*all, session, std::move(request.params));
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
