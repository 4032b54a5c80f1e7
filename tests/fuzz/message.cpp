#include <algorithm>
#include <string>

#include "runner/base/nesting.h"
#include "runner/wire/json_text.h"
#include "runner/wire/message.h"
#include "runner/wire/messages/machine.h"
#include "runner/wire/messages/plan.h"
#include "runner/wire/messages/plots.h"
#include "runner/wire/messages/queue.h"
#include "runner/wire/messages/reference.h"
#include "runner/wire/messages/results.h"
#include "runner/wire/messages/study.h"
#include "runner/wire/messages/try.h"
#include "runner/wire/messages/upkeep.h"
#include "runner/wire/rpc.h"
#include "tests/fuzz/target.h"

namespace sweepd::fuzz {
namespace {

using nlohmann::json;

// A parsed request is written and parsed again.
template <class Method>
void read_request_of(const json& params) {
  const auto request = read_params<typename Method::Request>(params);
  if (!request) return require(!request.error().message.empty(), "a mistake has a message");
  const json written = to_params(*request);
  const auto again = read_params<typename Method::Request>(written);
  require(again.ok(), "what was written of a request can be read");
  require(to_params(*again) == written, "and is the same");
}

template <class Method>
void read_reply_of(const json& result) {
  typename Method::Reply reply;
  const auto read = from_message(result, reply);
  if (read) to_json_line(to_message(reply));
}

template <class... Methods>
struct Each {
  static void request(const json& params) { (read_request_of<Methods>(params), ...); }
  static void reply(const json& result) { (read_reply_of<Methods>(result), ...); }
};
using Requests = Each<rpc::Submit, rpc::Try, rpc::Plan, rpc::Watch, rpc::Kernels, rpc::ReadStudy,
                      rpc::ReferenceAdd, rpc::List, rpc::Show, rpc::Report, rpc::Query, rpc::Plot,
                      rpc::Compare, rpc::Memory, rpc::Log, rpc::Cancel, rpc::Retry, rpc::Merge,
                      rpc::Noise, rpc::Stop, rpc::Delete, rpc::Usage, rpc::Backup, rpc::Reread>;
using Replies = Each<rpc::Submit, rpc::Plan, rpc::List, rpc::Show, rpc::Report, rpc::Query,
                     rpc::Plot, rpc::Compare, rpc::Status, rpc::Devices>;

void as_the_daemon(std::string_view line) {
  const ParsedRequest parsed = parse_request(line);
  const json& id = parsed.request.id;
  require(id.is_null() || id.is_number() || id.is_string(), "an id can be sent back");
  const std::string reply =
      parsed.ok ? result_line(id, parsed.request.params) : error_line(id, parsed.error);
  require(reply.find('\n') == reply.size() - 1, "an answer is one line");
  require(json::accept(reply), "an answer is JSON");
  if (parsed.ok) Requests::request(parsed.request.params);
}

int depth_of(const json& value) {
  int deepest = 0;
  if (value.is_structured()) {
    for (const json& inner : value) deepest = std::max(deepest, 1 + depth_of(inner));
  }
  return deepest;
}

void as_the_client(std::string_view line) {
  const json message = parse_json(line);
  require(depth_of(message) <= kMaxNesting, "what is nested too deeply is not read");
  if (!message.is_object()) return;
  method_of(message);
  params_of(message);
  const auto reply = reply_in(message);
  if (reply && reply->result) Replies::reply(*reply->result);
}

}  // namespace

void message(std::string_view bytes) {
  const std::string_view line = bytes.substr(0, bytes.find('\n'));
  as_the_daemon(line);
  as_the_client(line);
}

}  // namespace sweepd::fuzz
