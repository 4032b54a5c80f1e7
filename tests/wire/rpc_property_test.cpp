// Tests that any input of a client gets an answer and the daemon keeps running.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "runner/wire/rpc.h"

namespace sweepd {
namespace {

using nlohmann::json;

// The line is a request that can be called, or an error that can be sent as one line of JSON.
void expect_an_answer(const std::string& line) {
  const ParsedRequest parsed = parse_request(line);
  const json& id = parsed.request.id;
  RC_ASSERT(id.is_null() || id.is_number() || id.is_string());
  std::string reply;
  if (parsed.ok) {
    RC_ASSERT(parsed.request.params.is_object());
    reply = result_line(id, parsed.request.params);
  } else {
    RC_ASSERT(!parsed.error.message.empty());
    reply = error_line(id, parsed.error);
  }
  RC_ASSERT(reply.find('\n') == reply.size() - 1);
  RC_ASSERT(json::accept(reply));
}

TEST(ParseRequestProperty, AnyBytes) {
  EXPECT_TRUE(rc::check([] {
    const auto bytes = *rc::gen::container<std::string>(rc::gen::arbitrary<char>());
    expect_an_answer(bytes);
  }));
}

// Random bytes are hardly ever JSON; pieces of requests in any order often are.
TEST(ParseRequestProperty, AnyPiecesOfARequest) {
  EXPECT_TRUE(rc::check([] {
    const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
        "{", "}", "[", "]", ",", ":", "\"jsonrpc\":\"2.0\"", "\"id\":", "\"method\":\"m\"",
        "\"method\":", "\"params\":", "{}", "null", "1", "-0.0", "1e400", "\"\\ud800\"", "\"\xff\"",
        "true", std::string("\0", 1)));
    std::string line;
    for (const std::string& piece : pieces) line += piece;
    expect_an_answer(line);
  }));
}

json any_value(int depth) {
  switch (*rc::gen::inRange(0, depth > 0 ? 8 : 6)) {
    case 0:
      return nullptr;
    case 1:
      return *rc::gen::arbitrary<bool>();
    case 2:
      return *rc::gen::arbitrary<std::int64_t>();
    case 3:
      return *rc::gen::arbitrary<std::uint64_t>();
    case 4:
      return *rc::gen::arbitrary<double>();
    case 5:
      return *rc::gen::element<std::string>("", "2.0", "m", "ü", "\n");
    case 6:
      return json::array({any_value(depth - 1), any_value(depth - 1)});
    default:
      return {{*rc::gen::element<std::string>("id", "a", ""), any_value(depth - 1)}};
  }
}

TEST(ParseRequestProperty, AnyValueInAnyMember) {
  EXPECT_TRUE(rc::check([] {
    json message{{"jsonrpc", "2.0"}, {"id", 1}, {"method", "m"}, {"params", json::object()}};
    const int changes = *rc::gen::inRange(0, 3);
    for (int i = 0; i < changes; ++i) {
      const auto name =
          *rc::gen::element<std::string>("jsonrpc", "id", "method", "params", "extra");
      message[name] = any_value(3);
    }
    expect_an_answer(message.dump());
    if (changes == 0) RC_ASSERT(parse_request(message.dump()).ok);
  }));
}

}  // namespace
}  // namespace sweepd
