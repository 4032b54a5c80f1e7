#include "runner/wire/rpc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/wire/nested.h"

namespace sweepd {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(ParseRequest, AWholeRequest) {
  const auto parsed = parse_request(
      R"({"jsonrpc":"2.0","id":7,"method":"show","params":{"what":"s","steps":true}})");
  ASSERT_TRUE(parsed.ok) << parsed.error.message;
  EXPECT_EQ(parsed.request.id, 7);
  EXPECT_EQ(parsed.request.method, "show");
  EXPECT_EQ(parsed.request.params, (json{{"what", "s"}, {"steps", true}}));
}

TEST(ParseRequest, WithoutParamsTheyAreEmptyAndWithoutIdItIsANotification) {
  const auto parsed = parse_request(R"({"jsonrpc":"2.0","method":"status"})");
  ASSERT_TRUE(parsed.ok);
  EXPECT_TRUE(parsed.request.is_notification);
  EXPECT_EQ(parsed.request.params, json::object());
}

TEST(ParseRequest, AnIdMayBeANumberOrAString) {
  for (const char* id : {"0", "-1", "1.5", "18446744073709551615", "\"\"", "\"a b\"", "null"}) {
    const auto parsed =
        parse_request(std::string(R"({"jsonrpc":"2.0","method":"m","id":)") + id + "}");
    ASSERT_TRUE(parsed.ok) << id;
    EXPECT_EQ(parsed.request.id.dump(), id);
    EXPECT_FALSE(parsed.request.is_notification) << "it gets a reply, with null too";
  }
}

TEST(ParseRequest, EachMistakeHasItsCodeAndKeepsTheIdWhereThereIsOne) {
  const struct {
    const char* line;
    RpcCode code;
    const char* id;
    const char* says;
  } cases[] = {
      {"", RpcCode::kParseError, "null", ""},
      {"{", RpcCode::kParseError, "null", ""},
      {"{} {}", RpcCode::kParseError, "null", ""},
      {"{\"a\":1e999}", RpcCode::kParseError, "null", ""},
      {"\xff\xfe", RpcCode::kParseError, "null", ""},
      {"3", RpcCode::kInvalidRequest, "null", "one JSON object"},
      {"null", RpcCode::kInvalidRequest, "null", "one JSON object"},
      {"[]", RpcCode::kInvalidRequest, "null", "batches are not supported"},
      {R"([{"jsonrpc":"2.0","id":1,"method":"m"}])", RpcCode::kInvalidRequest, "null", "batches"},
      {R"({"jsonrpc":"2.0","id":[1],"method":"m"})", RpcCode::kInvalidRequest, "null", "`id`"},
      {R"({"jsonrpc":"2.0","id":true,"method":"m"})", RpcCode::kInvalidRequest, "null", "`id`"},
      {R"({"id":1,"method":"m"})", RpcCode::kInvalidRequest, "1", "`jsonrpc`"},
      {R"({"jsonrpc":2.0,"id":1,"method":"m"})", RpcCode::kInvalidRequest, "1", "\"2.0\""},
      {R"({"jsonrpc":"1.0","id":"x","method":"m"})", RpcCode::kInvalidRequest, "\"x\"", "\"2.0\""},
      {R"({"jsonrpc":"2.0","id":1})", RpcCode::kInvalidRequest, "1", "`method`"},
      {R"({"jsonrpc":"2.0","id":1,"method":null})", RpcCode::kInvalidRequest, "1", "`method`"},
      {R"({"jsonrpc":"2.0","id":1,"method":"m","params":[1]})", RpcCode::kInvalidParams, "1",
       "named members"},
      {R"({"jsonrpc":"2.0","id":1,"method":"m","params":null})", RpcCode::kInvalidParams, "1",
       "named members"},
  };
  for (const auto& c : cases) {
    const auto parsed = parse_request(c.line);
    ASSERT_FALSE(parsed.ok) << c.line;
    EXPECT_EQ(parsed.error.code, c.code) << c.line;
    EXPECT_EQ(parsed.request.id.dump(), c.id) << c.line;
    EXPECT_THAT(parsed.error.message, HasSubstr(c.says)) << c.line;
    EXPECT_FALSE(parsed.error.message.empty()) << c.line;
  }
}

std::string request_with(const std::string& member, const std::string& value) {
  return R"({"jsonrpc":"2.0","id":1,"method":"m",")" + member + "\":" + value + "}";
}

// A stack has room for some tens of thousands of levels, but a line has room for two million.
TEST(ParseRequest, AMillionBracketsAreRefusedWithoutFollowingThem) {
  const std::string deep = nested(1'000'000);
  for (const std::string& line :
       {deep, std::string(1'000'000, '['), request_with("id", deep), request_with("extra", deep),
        request_with("params", "{\"a\":" + deep + "}")}) {
    const auto parsed = parse_request(line);
    ASSERT_FALSE(parsed.ok);
    EXPECT_EQ(parsed.error.code, RpcCode::kResourceExhausted);
    EXPECT_THAT(parsed.error.message, HasSubstr("nested more than 100 levels deep"));
  }
}

TEST(ParseRequest, OnlyBracketsThatNestAreCounted) {
  EXPECT_TRUE(parse_request(request_with("params", R"({"a":)" + nested(98) + "}")).ok);
  EXPECT_FALSE(parse_request(request_with("params", R"({"a":)" + nested(99) + "}")).ok);
  std::string side_by_side = "[]";
  for (int i = 0; i < 1000; ++i) side_by_side += ",[]";
  EXPECT_TRUE(parse_request(request_with("params", R"({"a":[)" + side_by_side + "]}")).ok);
  const std::string text = "\"" + std::string(1000, '[') + R"(\" \\ )" + "\"";
  EXPECT_TRUE(parse_request(request_with("params", R"({"a":)" + text + "}")).ok);
  const std::string after_quote = R"("\" )" + std::string(1000, '[') + "\"";
  EXPECT_TRUE(parse_request(request_with("params", R"({"a":)" + after_quote + "}")).ok);
}

TEST(Lines, WhatIsWrittenIsReadTheSame) {
  const RpcRequest request{"a\nb", "submit", {{"text", "sweep: \"ü\"\n"}, {"set", {"a=1"}}}};
  const std::string line = request_line(request);
  EXPECT_EQ(line.find('\n'), line.size() - 1) << "one message, one line";
  const auto parsed = parse_request(line.substr(0, line.size() - 1));
  ASSERT_TRUE(parsed.ok);
  EXPECT_EQ(parsed.request.id, request.id);
  EXPECT_EQ(parsed.request.method, request.method);
  EXPECT_EQ(parsed.request.params, request.params);
}

TEST(Lines, EachKindHasItsMembersAndNoOther) {
  EXPECT_EQ(json::parse(request_line({nullptr, "m", json::object(), /*is_notification=*/true})),
            json::parse(R"({"jsonrpc":"2.0","method":"m","params":{}})"));
  EXPECT_EQ(json::parse(request_line({nullptr, "m", json::object()})),
            json::parse(R"({"jsonrpc":"2.0","id":null,"method":"m","params":{}})"));
  EXPECT_EQ(json::parse(result_line(3, {{"a", 1}})),
            json::parse(R"({"jsonrpc":"2.0","id":3,"result":{"a":1}})"));
  EXPECT_EQ(
      json::parse(error_line("x", {RpcCode::kNotFound, "no sweep", nullptr})),
      json::parse(R"({"jsonrpc":"2.0","id":"x","error":{"code":-32001,"message":"no sweep"}})"));
  EXPECT_EQ(json::parse(error_line(nullptr, {RpcCode::kInvalidParams, "m", {{"d", 1}}}))["error"],
            json::parse(R"({"code":-32602,"message":"m","data":{"d":1}})"));
  EXPECT_EQ(json::parse(notification_line("progress", {{"over", true}})),
            json::parse(R"({"jsonrpc":"2.0","method":"progress","params":{"over":true}})"));
}

TEST(Lines, BytesThatAreNoUtf8DoNotStopAReply) {
  const std::string line = error_line(1, {RpcCode::kInternal, "worker said \xff\xc3", nullptr});
  EXPECT_TRUE(json::accept(line));
  EXPECT_THAT(line, HasSubstr("worker said"));
}

TEST(Codes, EveryErrorComesBackAsItself) {
  for (const ErrorCode code :
       {ErrorCode::kInvalidArgument, ErrorCode::kNotFound, ErrorCode::kAlreadyExists,
        ErrorCode::kFailedPrecondition, ErrorCode::kResourceExhausted, ErrorCode::kUnavailable,
        ErrorCode::kIo, ErrorCode::kInternal}) {
    EXPECT_EQ(error_code(static_cast<int>(rpc_code(code))), code);
  }
}

TEST(Codes, OfTheProtocolItselfAndUnknownOnes) {
  EXPECT_EQ(error_code(-32700), ErrorCode::kInvalidArgument);  // not JSON
  EXPECT_EQ(error_code(-32600), ErrorCode::kInvalidArgument);  // not a request
  EXPECT_EQ(error_code(-32601), ErrorCode::kInvalidArgument);  // no such method
  for (const int unknown : {0, 1, -1, -32000, -32099, -40000}) {
    EXPECT_EQ(error_code(unknown), ErrorCode::kInternal) << unknown;
  }
}

}  // namespace
}  // namespace sweepd
