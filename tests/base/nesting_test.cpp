#include "runner/base/nesting.h"

#include <gtest/gtest.h>

namespace sweepd {
namespace {

std::string nested(std::size_t depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

TEST(Nesting, AHundredLevelsAndNoMore) {
  EXPECT_FALSE(is_nested_too_deeply(nested(100)));
  EXPECT_TRUE(is_nested_too_deeply(nested(101)));
  EXPECT_TRUE(is_nested_too_deeply(std::string(101, '{'))) << "nothing is closed";
  EXPECT_TRUE(is_nested_too_deeply(nested(200'000)));
  EXPECT_EQ(nested_too_deeply(), "nested more than 100 levels deep");
}

TEST(Nesting, OnlyBracketsThatNestAreCounted) {
  std::string side_by_side = "[[]";
  for (int i = 0; i < 1000; ++i) side_by_side += ",[]";
  EXPECT_FALSE(is_nested_too_deeply(side_by_side + "]"));
  const std::string many(1000, '[');
  EXPECT_FALSE(is_nested_too_deeply("[\"" + many + R"(\" \\ )" + "\"]")) << "a text";
  EXPECT_FALSE(is_nested_too_deeply("\"\\\" " + many + "\"")) << "an escaped quote ends no text";
  EXPECT_TRUE(is_nested_too_deeply("\"\\\\\"" + many)) << "an escaped backslash escapes no quote";
}

TEST(Nesting, ATextThatEndsInsideAnEscape) {
  EXPECT_FALSE(is_nested_too_deeply("\"" + std::string(200, 'x') + "\\"));
}

}  // namespace
}  // namespace sweepd
