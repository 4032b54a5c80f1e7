// The answer to a request, as a handler gives it and as JSON, and the function that answers
// requests.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <variant>

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

// The result of a handler of method M: the reply or an error.
template <class M>
class Answer {
 public:
  using Value = typename M::Reply;
  Answer(Value value) : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: implicit
  Answer(RpcError e) : state_(std::in_place_index<1>, std::move(e)) {}       // NOLINT: implicit
  Answer(const Error& e) : Answer(RpcError{rpc_code(e.code), e.message, nullptr}) {}  // NOLINT

  const Value* value() const { return std::get_if<0>(&state_); }
  RpcError& error() { return std::get<1>(state_); }

 private:
  std::variant<Value, RpcError> state_;
};

// `all` is null if there is no daemon, only a database that can be read.
using AnswerRequest = boost::asio::awaitable<Reply> (*)(ReadServices& reading, Services* all,
                                                        Session&, RpcRequest);

}  // namespace sweepd
