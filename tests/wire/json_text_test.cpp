#include "runner/wire/json_text.h"

#include <gtest/gtest.h>

#include "tests/wire/nested.h"

namespace sweepd {
namespace {

TEST(JsonText, WhatIsNestedTooDeeplyIsNotRead) {
  EXPECT_FALSE(parse_json(nested(100)).is_discarded());
  EXPECT_FALSE(parse_ordered_json(nested(100)).is_discarded());
  EXPECT_TRUE(parse_json(nested(101)).is_discarded());
  EXPECT_TRUE(parse_ordered_json(nested(101)).is_discarded());
  EXPECT_TRUE(parse_ordered_json(nested(200'000)).is_discarded());
}

TEST(JsonText, SaysWhyItReadNothing) {
  EXPECT_EQ(why_discarded("oops"), "not valid JSON");
  EXPECT_EQ(why_discarded(nested(101)), "nested more than 100 levels deep");
}

}  // namespace
}  // namespace sweepd
