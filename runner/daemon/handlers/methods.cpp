#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <array>
#include <string>
#include <vector>

#include "runner/base/text.h"
#include "runner/daemon/handlers/handlers.h"

namespace sweepd {
namespace {

// Replies that may hold many rows become JSON on a reader's thread, not on the event loop.
template <class M>
constexpr bool kMayBeLarge = std::is_same_v<M, rpc::Show> || std::is_same_v<M, rpc::List> ||
                             std::is_same_v<M, rpc::Plan> || std::is_same_v<M, rpc::Query> ||
                             std::is_same_v<M, rpc::Plot> || std::is_same_v<M, rpc::Report> ||
                             std::is_same_v<M, rpc::Kernels> || std::is_same_v<M, rpc::Memory>;

// Reads the request of method M, has it handled, and writes the reply.
template <class M, class Needs, auto kHandle>
boost::asio::awaitable<Reply> answer(Needs& services, Session& session, nlohmann::json params) {
  auto request = read_params<typename M::Request>(params);
  if (!request) co_return request.error();
  Answer<M> answer = co_await kHandle(services, session, std::move(*request));
  if (answer.value() == nullptr) co_return std::move(answer.error());
  // This frees the answer on that thread, too.
  const auto write = [&answer] {
    const Answer<M> taken = std::move(answer);
    return to_message(*taken.value());
  };
  if constexpr (kMayBeLarge<M>) {
    co_return co_await services.readers.compute(write);
  } else {
    co_return write();
  }
}

template <class M, class Needs, auto kHandle>
constexpr Method method() {
  return {M::kName, &answer<M, Needs, kHandle>};
}

constexpr std::array kMethods{
    method<rpc::Backup, ReadServices, handle_backup>(),
    method<rpc::Cancel, Services, handle_cancel>(),
    method<rpc::Compact, Services, handle_compact>(),
    method<rpc::Compare, ReadServices, handle_compare>(),
    method<rpc::Config, Services, handle_config>(),
    method<rpc::Delete, Services, handle_delete>(),
    method<rpc::Devices, Services, handle_devices>(),
    method<rpc::Doctor, ReadServices, handle_doctor>(),
    method<rpc::Explain, ReadServices, handle_explain>(),
    method<rpc::Kernels, ReadServices, handle_kernels>(),
    method<rpc::List, ReadServices, handle_list>(),
    method<rpc::Log, ReadServices, handle_log>(),
    method<rpc::Memory, ReadServices, handle_memory>(),
    method<rpc::Merge, Services, handle_merge>(),
    method<rpc::Noise, Services, handle_noise>(),
    method<rpc::Pause, Services, handle_pause>(),
    method<rpc::Plan, Services, handle_plan>(),
    method<rpc::Plot, ReadServices, handle_plot>(),
    method<rpc::Query, ReadServices, handle_query>(),
    method<rpc::ReferenceAdd, Services, handle_reference_add>(),
    method<rpc::ReferenceList, ReadServices, handle_reference_list>(),
    method<rpc::ReferenceRemove, Services, handle_reference_remove>(),
    method<rpc::Report, ReadServices, handle_report>(),
    method<rpc::Reread, Services, handle_reread>(),
    method<rpc::Resume, Services, handle_resume>(),
    method<rpc::Retry, Services, handle_retry>(),
    method<rpc::Show, ReadServices, handle_show>(),
    method<rpc::Status, Services, handle_status>(),
    method<rpc::Stop, Services, handle_stop>(),
    method<rpc::ReadStudy, Services, handle_study>(),
    method<rpc::Submit, Services, handle_submit>(),
    method<rpc::Try, Services, handle_try>(),
    method<rpc::Usage, ReadServices, handle_usage>(),
    method<rpc::Watch, Services, handle_watch>(),
    method<rpc::Workloads, ReadServices, handle_workloads>(),
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

std::span<const Method> methods() {
  return kMethods;
}

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
