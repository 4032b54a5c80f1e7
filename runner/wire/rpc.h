// JSON-RPC 2.0, one message per line. The parts that both sides share: parsing a request, making
// replies, and the codes. Methods and their parameters: docs/PROTOCOL.md.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "runner/base/result.h"

namespace sweepd {

// A sweep file of 1 MiB grows when its text is escaped into a JSON string. Valid UTF-8 text without
// control characters needs at most four times its size.
inline constexpr std::size_t kMaxLineBytes = 4U << 20;

struct RpcRequest {
  nlohmann::json id;
  std::string method;
  nlohmann::json params = nlohmann::json::object();
  bool is_notification = false;  // it has no member `id`, and gets no reply; one with null gets one
};

// The code of a reply's `error`: JSON-RPC's own for malformed messages, from -32000 down for ours.
enum class RpcCode {
  kParseError = -32700,
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
  kInternal = -32603,
  kNotFound = -32001,
  kAlreadyExists = -32002,
  kFailedPrecondition = -32003,
  kResourceExhausted = -32004,
  kUnavailable = -32005,
  kIo = -32006,
};

RpcCode rpc_code(ErrorCode code);
ErrorCode error_code(int rpc_code);

struct RpcError {
  RpcCode code = RpcCode::kInternal;
  std::string message;
  nlohmann::json data;  // null: none
};

// On error, `id` is the request's if it could be read, so that the reply can carry it.
struct ParsedRequest {
  RpcRequest request;
  bool ok = true;
  RpcError error;
};
ParsedRequest parse_request(std::string_view line);

// The answer to the request with this id. Without an id it answers no request: a daemon with too
// many clients refuses the connection so.
struct RpcReply {
  nlohmann::json id;
  Result<nlohmann::json> result;
};
// Nothing if the message is a notification.
std::optional<RpcReply> reply_in(const nlohmann::json& message);

// Of a notification; "" and null if it has none.
std::string method_of(const nlohmann::json& message);
const nlohmann::json& params_of(const nlohmann::json& message);

// Each line ends with its newline.
std::string request_line(const RpcRequest& request);
std::string result_line(const nlohmann::json& id, const nlohmann::json& result);
std::string error_line(const nlohmann::json& id, const RpcError& error);
std::string notification_line(std::string_view method, const nlohmann::json& params);

}  // namespace sweepd
