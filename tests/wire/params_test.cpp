#include "runner/wire/params.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sweepd {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

// Reads one of each kind as a handler would; returns "" if there is no mistake.
std::string mistake_in(const json& params) {
  ParamsReader reader(params);
  reader.text("sweep");
  reader.text_or("file", "<request>");
  reader.integer_or("limit", 50, -3, 1000);
  reader.boolean_or("steps", false);
  reader.texts("set");
  reader.member("where");
  const auto finished = reader.finish();
  return finished ? "" : finished.error().message;
}

TEST(ParamsReader, ReadsWhatIsThere) {
  const json params{{"sweep", "s"},  {"file", "f.yaml"},  {"limit", -3},
                    {"steps", true}, {"set", {"a", "b"}}, {"where", {{"x", {"1"}}}}};
  ParamsReader reader(params);
  EXPECT_EQ(reader.text("sweep"), "s");
  EXPECT_EQ(reader.text_or("file", ""), "f.yaml");
  EXPECT_EQ(reader.integer_or("limit", 50, -3), -3);
  EXPECT_TRUE(reader.boolean_or("steps", false));
  EXPECT_THAT(reader.texts("set"), ElementsAre("a", "b"));
  EXPECT_EQ(reader.member("where"), params["where"]);
  EXPECT_TRUE(reader.finish());
}

TEST(ParamsReader, WhatIsAbsentOrNullIsTheFallback) {
  for (const json& params : {json::object(), json{{"file", nullptr},
                                                  {"limit", nullptr},
                                                  {"steps", nullptr},
                                                  {"set", nullptr},
                                                  {"where", nullptr}}}) {
    ParamsReader reader(params);
    EXPECT_EQ(reader.text_or("file", "<request>"), "<request>");
    EXPECT_EQ(reader.integer_or("limit", 50, 0), 50);
    EXPECT_TRUE(reader.boolean_or("steps", true));
    EXPECT_TRUE(reader.texts("set").empty());
    EXPECT_TRUE(reader.member("where").is_null());
    EXPECT_TRUE(reader.finish());
  }
}

TEST(ParamsReader, EachMistakeNamesTheMember) {
  const struct {
    const char* params;
    const char* message;
  } cases[] = {
      {R"({})", "`sweep` must be given: a string"},
      {R"({"sweep":null})", "`sweep` must be given: a string"},
      {R"({"sweep":3})", "`sweep` must be a string"},
      {R"({"sweep":"s","file":[]})", "`file` must be a string"},
      {R"({"sweep":"s","limit":"50"})", "`limit` must be an integer"},
      {R"({"sweep":"s","limit":1.5})", "`limit` must be an integer"},
      {R"({"sweep":"s","limit":9223372036854775808})", "`limit` must be a 64-bit integer"},
      {R"({"sweep":"s","limit":-4})", "`limit` must be from -3 to 1000, not -4"},
      {R"({"sweep":"s","limit":4294967296})", "`limit` must be from -3 to 1000, not 4294967296"},
      {R"({"sweep":"s","steps":1})", "`steps` must be true or false"},
      {R"({"sweep":"s","set":"a=1"})", "`set` must be a list of strings"},
      {R"({"sweep":"s","set":["a",1]})", "`set` must be a list of strings"},
      {R"({"sweep":"s","set":{"a":"b"}})", "`set` must be a list of strings"},
      {R"([])", "`sweep` must be given: a string"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(mistake_in(json::parse(c.params)), c.message) << c.params;
  }
}

TEST(ParamsReader, TheLargestAndSmallestIntegersAreRead) {
  const json params = json::parse(R"({"a":9223372036854775807,"b":-9223372036854775808})");
  ParamsReader reader(params);
  EXPECT_EQ(reader.integer_or("a", 0, 0), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(reader.integer_or("b", 0, std::numeric_limits<std::int64_t>::min()),
            std::numeric_limits<std::int64_t>::min());
  EXPECT_TRUE(reader.finish());
}

TEST(ParamsReader, TheFirstMistakeIsTold) {
  EXPECT_EQ(mistake_in({{"sweep", 1}, {"limit", "x"}, {"unheard", 1}}), "`sweep` must be a string");
}

TEST(ParamsReader, AnUnknownMemberGetsTheNearestName) {
  const std::string message = mistake_in({{"sweep", "s"}, {"limt", 3}});
  EXPECT_THAT(message, HasSubstr("unknown parameter `limt`"));
  EXPECT_THAT(message, HasSubstr("did you mean `limit`?"));
  EXPECT_THAT(message, HasSubstr("expected sweep, file, limit, steps, set, where"));
}

TEST(ParamsReader, AMethodWithoutParametersSaysSo) {
  const json params{{"verbose", true}};
  EXPECT_EQ(ParamsReader(params).finish().error().message,
            "unknown parameter `verbose`; expected none");
}

TEST(ParamsReader, WhatIsNoObjectIsRefused) {
  for (const char* text : {"[]", "3", "\"s\"", "null"}) {
    const json params = json::parse(text);
    ParamsReader reader(params);
    EXPECT_EQ(reader.integer_or("limit", 50, 0), 50);
    const auto finished = reader.finish();
    ASSERT_FALSE(finished) << text;
    EXPECT_EQ(finished.error().message, "expected an object with named members");
    EXPECT_EQ(finished.error().code, ErrorCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace sweepd
