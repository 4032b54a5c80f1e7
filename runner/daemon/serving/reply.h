// The answer to a request, and the function that answers requests.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "runner/wire/rpc.h"

namespace sweepd {

struct ReadServices;
struct Services;
class Session;

struct Reply {
  nlohmann::json result;
  std::optional<RpcError> error;

  Reply() = default;
  Reply(nlohmann::json value) : result(std::move(value)) {}  // NOLINT: implicit
  Reply(const Error& e) : error(RpcError{rpc_code(e.code), e.message, nullptr}) {}  // NOLINT
  Reply(RpcError e) : error(std::move(e)) {}  // NOLINT: implicit
};

// `all` is null if there is no daemon, only a database that can be read.
using AnswerRequest = boost::asio::awaitable<Reply> (*)(ReadServices& reading, Services* all,
                                                        Session&, RpcRequest);

}  // namespace sweepd
