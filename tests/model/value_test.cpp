#include "runner/model/vocabulary/value.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

namespace sweepd {
namespace {

using std::int64_t;
using ::testing::HasSubstr;

TEST(Value, ParsesWhatPeopleWrite) {
  struct Case {
    const char* text;
    ValueType type;
    Value value;
    const char* canonical;
  };
  const Case cases[] = {
      {"512", ValueType::kInteger, int64_t{512}, "512"},
      {"64K", ValueType::kInteger, int64_t{64000}, "64000"},
      {"10_000", ValueType::kInteger, int64_t{10000}, "10000"},
      {"5%", ValueType::kReal, 0.05, "0.05"},
      {"1e-3", ValueType::kReal, 0.001, "0.001"},
      {"true", ValueType::kBoolean, true, "true"},
      {"false", ValueType::kBoolean, false, "false"},
      {"anything at all", ValueType::kText, std::string("anything at all"), "anything at all"},
      {"bf16", ValueType::kChoice, std::string("bf16"), "bf16"},
      {"1.5GiB", ValueType::kBytes, int64_t{1610612736}, "1536MiB"},
      {"1GB", ValueType::kBytes, int64_t{1000000000}, "1GB"},
      {"10m", ValueType::kDuration, int64_t{600'000'000'000}, "10m"},
      {"90s", ValueType::kDuration, int64_t{90'000'000'000}, "90s"},
  };
  for (const Case& c : cases) {
    const auto value = parse_value(c.text, c.type);
    ASSERT_TRUE(value) << c.text;
    EXPECT_EQ(*value, c.value) << c.text;
    EXPECT_EQ(to_text(*value, c.type), c.canonical) << c.text;
  }
}

TEST(Value, RefusesWhatIsNotOne) {
  struct Case {
    const char* text;
    ValueType type;
  };
  const Case cases[] = {
      {"", ValueType::kInteger},          {"1.5", ValueType::kInteger},
      {"12 apples", ValueType::kInteger}, {"five", ValueType::kReal},
      {"nan", ValueType::kReal},          {"yes", ValueType::kBoolean},
      {"True", ValueType::kBoolean},      {"1.5B", ValueType::kBytes},
      {"-1MiB", ValueType::kBytes},       {"10", ValueType::kDuration},
      {"10min", ValueType::kDuration},
  };
  for (const Case& c : cases) {
    const auto value = parse_value(c.text, c.type);
    ASSERT_FALSE(value) << c.text;
    EXPECT_THAT(value.error().message, HasSubstr("`" + std::string(c.text) + "`"));
  }
}

TEST(Value, TypesHaveNamesBothWays) {
  for (const ValueType type :
       {ValueType::kInteger, ValueType::kReal, ValueType::kBoolean, ValueType::kText,
        ValueType::kChoice, ValueType::kBytes, ValueType::kDuration}) {
    const auto back = value_type_from(name_of(type));
    ASSERT_TRUE(back);
    EXPECT_EQ(*back, type);
  }
  EXPECT_FALSE(value_type_from("float"));
}

// Trial keys hash this text (bytes have their own), so a stored value must read back as itself.
TEST(Value, CanonicalTextReadsBack) {
  const auto round_trip = [](const Value& value, ValueType type) {
    const auto back = parse_value(to_text(value, type), type);
    return back.ok() && *back == value;
  };
  EXPECT_TRUE(rc::check([&] {
    const auto any = *rc::gen::arbitrary<int64_t>();
    RC_ASSERT(round_trip(Value(any), ValueType::kInteger));
    const auto quantity = *rc::gen::inRange<int64_t>(0, int64_t{1} << 50);
    RC_ASSERT(round_trip(Value(quantity), ValueType::kBytes));
    RC_ASSERT(round_trip(Value(quantity), ValueType::kDuration));
    RC_ASSERT(round_trip(Value(quantity * 1000 % (int64_t{1} << 50)), ValueType::kDuration));
    const auto real = *rc::gen::arbitrary<double>();
    RC_ASSERT(!std::isfinite(real) || round_trip(Value(real), ValueType::kReal));
  }));
}

}  // namespace
}  // namespace sweepd
