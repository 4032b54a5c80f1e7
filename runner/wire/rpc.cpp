#include "runner/wire/rpc.h"

#include <array>
#include <utility>

#include "runner/base/nesting.h"
#include "runner/wire/json_text.h"

namespace sweepd {
namespace {

Error error_of(const nlohmann::json& error) {
  const auto code = error.is_object() ? error.find("code") : error.end();
  const auto message = error.is_object() ? error.find("message") : error.end();
  if (code == error.end() || !code->is_number_integer() || message == error.end() ||
      !message->is_string()) {
    return {ErrorCode::kInternal, "the daemon sent an error without code and message"};
  }
  return {error_code(code->get<int>()), *message};
}

constexpr std::array<std::pair<ErrorCode, RpcCode>, 8> kCodes{{
    {ErrorCode::kInvalidArgument, RpcCode::kInvalidParams},
    {ErrorCode::kNotFound, RpcCode::kNotFound},
    {ErrorCode::kAlreadyExists, RpcCode::kAlreadyExists},
    {ErrorCode::kFailedPrecondition, RpcCode::kFailedPrecondition},
    {ErrorCode::kResourceExhausted, RpcCode::kResourceExhausted},
    {ErrorCode::kUnavailable, RpcCode::kUnavailable},
    {ErrorCode::kIo, RpcCode::kIo},
    {ErrorCode::kInternal, RpcCode::kInternal},
}};

std::string line(const nlohmann::json& message) {
  return to_json_line(message) + "\n";
}

ParsedRequest bad(RpcCode code, std::string message, nlohmann::json id = nullptr) {
  ParsedRequest parsed;
  parsed.ok = false;
  parsed.request.id = std::move(id);
  parsed.error = {code, std::move(message), nullptr};
  return parsed;
}

}  // namespace

RpcCode rpc_code(ErrorCode code) {
  for (const auto& [ours, theirs] : kCodes) {
    if (ours == code) return theirs;
  }
  return RpcCode::kInternal;
}

ErrorCode error_code(int code) {
  for (const auto& [ours, theirs] : kCodes) {
    if (static_cast<int>(theirs) == code) return ours;
  }
  return code <= -32600 && code >= -32700 && code != -32603 ? ErrorCode::kInvalidArgument
                                                            : ErrorCode::kInternal;
}

ParsedRequest parse_request(std::string_view text) {
  if (is_nested_too_deeply(text)) {
    return bad(RpcCode::kResourceExhausted, "the message is " + nested_too_deeply());
  }
  const nlohmann::json message = parse_json(text);
  if (message.is_discarded()) return bad(RpcCode::kParseError, "the line is not valid JSON");
  if (!message.is_object()) {
    return bad(RpcCode::kInvalidRequest,
               "expected one JSON object a line; batches are not supported");
  }
  const nlohmann::json id = message.value("id", nlohmann::json());
  if (!id.is_null() && !id.is_string() && !id.is_number()) {
    return bad(RpcCode::kInvalidRequest, "`id` must be a string, a number or null");
  }
  if (!message.contains("jsonrpc") || message["jsonrpc"] != "2.0") {
    return bad(RpcCode::kInvalidRequest, "`jsonrpc` must be \"2.0\"", id);
  }
  if (!message.contains("method") || !message["method"].is_string()) {
    return bad(RpcCode::kInvalidRequest, "`method` must be a string", id);
  }
  ParsedRequest parsed;
  parsed.request.id = id;
  parsed.request.is_notification = !message.contains("id");
  parsed.request.method = message["method"];
  if (message.contains("params")) parsed.request.params = message["params"];
  if (!parsed.request.params.is_object()) {
    return bad(RpcCode::kInvalidParams, "`params` must be an object with named members", id);
  }
  return parsed;
}

std::optional<RpcReply> reply_in(const nlohmann::json& message) {
  if (message.contains("method")) return std::nullopt;
  nlohmann::json id = message.value("id", nlohmann::json());
  if (const auto error = message.find("error"); error != message.end()) {
    return RpcReply{std::move(id), error_of(*error)};
  }
  return RpcReply{std::move(id), message.value("result", nlohmann::json())};
}

std::string method_of(const nlohmann::json& message) {
  const auto found = message.find("method");
  return found != message.end() && found->is_string() ? found->get<std::string>() : "";
}

const nlohmann::json& params_of(const nlohmann::json& message) {
  static const nlohmann::json none;
  const auto found = message.find("params");
  return found == message.end() ? none : *found;
}

std::string request_line(const RpcRequest& request) {
  nlohmann::json message{
      {"jsonrpc", "2.0"}, {"method", request.method}, {"params", request.params}};
  if (!request.is_notification) message["id"] = request.id;
  return line(message);
}

std::string result_line(const nlohmann::json& id, const nlohmann::json& result) {
  // Written by hand: an object of the three would copy the result, which may be large.
  return R"({"id":)" + to_json_line(id) + R"(,"jsonrpc":"2.0","result":)" + to_json_line(result) +
         "}\n";
}

std::string error_line(const nlohmann::json& id, const RpcError& error) {
  nlohmann::json body{{"code", static_cast<int>(error.code)}, {"message", error.message}};
  if (!error.data.is_null()) body["data"] = error.data;
  return line({{"jsonrpc", "2.0"}, {"id", id}, {"error", body}});
}

std::string notification_line(std::string_view method, const nlohmann::json& params) {
  return line({{"jsonrpc", "2.0"}, {"method", method}, {"params", params}});
}

}  // namespace sweepd
