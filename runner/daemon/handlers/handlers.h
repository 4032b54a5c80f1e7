// One verb, one file: handlers/<verb>.cpp. A handler checks its parameters, asks the services, and
// replies; it never blocks the event loop. docs/PROTOCOL.md documents each.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <variant>

#include "runner/daemon/serving/reply.h"
#include "runner/daemon/serving/services.h"
#include "runner/daemon/serving/session.h"
#include "runner/wire/rpc.h"

namespace sweepd {

using Handler = boost::asio::awaitable<Reply> (*)(Services&, Session&, nlohmann::json params);
// Needs no daemon: works with a database file alone.
using ReadHandler = boost::asio::awaitable<Reply> (*)(ReadServices&, Session&,
                                                      nlohmann::json params);

struct Method {
  std::string_view name;
  std::variant<Handler, ReadHandler> handle;
};

// Finds and runs the handler: the AnswerRequest of a Session. An unknown method, an exception, or a
// method that needs a daemon if there is none gives an error reply.
boost::asio::awaitable<Reply> call_handler(ReadServices& reading, Services* all, Session& session,
                                           RpcRequest request);

boost::asio::awaitable<Reply> handle_cancel(Services&, Session&, nlohmann::json params);
boost::asio::awaitable<Reply> handle_devices(Services&, Session&, nlohmann::json params);
boost::asio::awaitable<Reply> handle_doctor(ReadServices&, Session&, nlohmann::json params);
boost::asio::awaitable<Reply> handle_kernels(ReadServices&, Session&, nlohmann::json params);
boost::asio::awaitable<Reply> handle_list(ReadServices&, Session&, nlohmann::json params);
boost::asio::awaitable<Reply> handle_log(ReadServices&, Session&, nlohmann::json params);
boost::asio::awaitable<Reply> handle_memory(ReadServices&, Session&, nlohmann::json params);
boost::asio::awaitable<Reply> handle_merge(Services&, Session&, nlohmann::json params);
boost::asio::awaitable<Reply> handle_plan(Services&, Session&, nlohmann::json params);
boost::asio::awaitable<Reply> handle_query(ReadServices&, Session&, nlohmann::json params);
boost::asio::awaitable<Reply> handle_report(ReadServices&, Session&, nlohmann::json params);
boost::asio::awaitable<Reply> handle_retry(Services&, Session&, nlohmann::json params);
boost::asio::awaitable<Reply> handle_show(ReadServices&, Session&, nlohmann::json params);
boost::asio::awaitable<Reply> handle_status(Services&, Session&, nlohmann::json params);
boost::asio::awaitable<Reply> handle_stop(Services&, Session&, nlohmann::json params);
boost::asio::awaitable<Reply> handle_submit(Services&, Session&, nlohmann::json params);
boost::asio::awaitable<Reply> handle_watch(Services&, Session&, nlohmann::json params);
boost::asio::awaitable<Reply> handle_workloads(ReadServices&, Session&, nlohmann::json params);

}  // namespace sweepd
