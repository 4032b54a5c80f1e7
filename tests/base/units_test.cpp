#include "runner/base/units.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>

namespace sweepd {
namespace {

using testing::HasSubstr;

template <class Value>
struct Case {
  std::string_view text;
  Value value;
};

TEST(ParseInteger, ReadsDigitsUnderscoresAndCountUnits) {
  const Case<std::int64_t> cases[] = {
      {"512", 512},
      {"-7", -7},
      {"+7", 7},
      {"10_000", 10'000},
      {"64K", 64'000},
      {"1.5M", 1'500'000},
      {"2G", 2'000'000'000},
      {"1e3", 1000},
      {" 8 ", 8},
      {"9223372036854775807", std::numeric_limits<std::int64_t>::max()},
  };
  for (const auto& [text, value] : cases) {
    const auto parsed = parse_integer(text);
    ASSERT_TRUE(parsed.ok()) << text << ": " << parsed.error().message;
    EXPECT_EQ(*parsed, value) << text;
  }
}

TEST(ParseInteger, RefusesWhatIsNotOne) {
  for (const std::string_view text :
       {"", "-", "K", "1.5", "12 34", "0x10", "1__0", "_1", "1_", "1.2.3", "1KiB", "nan", "inf",
        "1e400", "9223372036854775808", "9007199254740993.0", "5 apples"}) {
    const auto parsed = parse_integer(text);
    ASSERT_FALSE(parsed.ok()) << text << " gave " << *parsed;
    EXPECT_EQ(parsed.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(parsed.error().message, HasSubstr("`" + std::string(text) + "`"));
    EXPECT_THAT(parsed.error().message, HasSubstr("expected"));
  }
}

TEST(ParseBytes, KnowsBothFamiliesOfUnits) {
  const Case<std::int64_t> cases[] = {
      {"0", 0},
      {"4096", 4096},
      {"1B", 1},
      {"64KiB", 65'536},
      {"64KB", 64'000},
      {"1.5GiB", 1'610'612'736},
      {"1GB", 1'000'000'000},
      {"1 MiB", 1'048'576},
      {"2TiB", 2'199'023'255'552},
  };
  for (const auto& [text, value] : cases) {
    const auto parsed = parse_bytes(text);
    ASSERT_TRUE(parsed.ok()) << text << ": " << parsed.error().message;
    EXPECT_EQ(parsed->value, value) << text;
  }
  for (const std::string_view text : {"-1", "1KIB", "0.3B", "64k", "9PiB", "GiB", "1s"}) {
    EXPECT_FALSE(parse_bytes(text).ok()) << text;
  }
}

TEST(ParseDuration, NeedsAUnitButForZero) {
  const Case<std::int64_t> cases[] = {
      {"0", 0},
      {"250ms", 250'000'000},
      {"90s", 90'000'000'000},
      {"10m", 600'000'000'000},
      {"1.5h", 5'400'000'000'000},
      {"2d", 172'800'000'000'000},
      {"7us", 7'000},
      // Not exact in binary: 0.017 * 60e9 is 1020000000.0000001 in double arithmetic.
      {"0.017m", 1'020'000'000},
      {"0.009h", 32'400'000'000},
  };
  for (const auto& [text, value] : cases) {
    const auto parsed = parse_duration(text);
    ASSERT_TRUE(parsed.ok()) << text << ": " << parsed.error().message;
    EXPECT_EQ(parsed->ns, value) << text;
  }
  for (const std::string_view text : {"10", "-1s", "1.5ns", "1 min", "s", "1e30d"}) {
    EXPECT_FALSE(parse_duration(text).ok()) << text;
  }
}

TEST(ParseDuration, EveryDecimalFractionOfAnHourIsWhatItSays) {
  EXPECT_TRUE(rc::check([] {
    const auto thousandths = *rc::gen::inRange<std::int64_t>(0, 1'000'000);
    const std::string text = std::to_string(thousandths / 1000) + "." +
                             std::to_string(1000 + thousandths % 1000).substr(1) + "h";
    const auto parsed = parse_duration(text);
    RC_ASSERT(parsed.ok());
    RC_ASSERT(parsed->ns == thousandths * 3'600'000'000);
  }));
}

TEST(ParseReal, ReadsPercentages) {
  EXPECT_DOUBLE_EQ(*parse_real("0.05"), 0.05);
  EXPECT_DOUBLE_EQ(*parse_real("1e-3"), 0.001);
  EXPECT_DOUBLE_EQ(*parse_real("5%"), 0.05);
  EXPECT_DOUBLE_EQ(*parse_real("-2.5"), -2.5);
  for (const std::string_view text : {"", "%", "5%%", "0.05s", "nan", "inf", "1e999"}) {
    EXPECT_FALSE(parse_real(text).ok()) << text;
  }
}

TEST(ParseBoolean, KnowsTrueAndFalseOnly) {
  EXPECT_TRUE(*parse_boolean("true"));
  EXPECT_FALSE(*parse_boolean(" false "));
  for (const std::string_view text : {"yes", "True", "1", ""}) {
    EXPECT_FALSE(parse_boolean(text).ok()) << text;
  }
}

TEST(ToText, TakesTheLargestUnitThatDivides) {
  EXPECT_EQ(to_text(Bytes{0}), "0B");
  EXPECT_EQ(to_text(Bytes{1500}), "1500B");
  EXPECT_EQ(to_text(Bytes{1'000'000}), "1MB");
  EXPECT_EQ(to_text(Bytes{64'000'000}), "64MB");  // also 62500KiB
  EXPECT_EQ(to_text(Bytes{1'024'000}), "1000KiB");
  EXPECT_EQ(to_text(1536_MiB), "1536MiB");
  EXPECT_EQ(to_text(4_GiB), "4GiB");
  EXPECT_EQ(to_text(seconds(0)), "0s");
  EXPECT_EQ(to_text(seconds(90)), "90s");
  EXPECT_EQ(to_text(seconds(600)), "10m");
  EXPECT_EQ(to_text(milliseconds(250)), "250ms");
  EXPECT_EQ(to_text(0.05), "0.05");
  EXPECT_EQ(to_text(1e-05), "1e-05");
}

TEST(ToText, ParsesBackToTheSameValue) {
  EXPECT_TRUE(rc::check("bytes", [] {
    const Bytes bytes{*rc::gen::inRange<std::int64_t>(0, std::int64_t{1} << 53)};
    RC_ASSERT(parse_bytes(to_text(bytes)).value() == bytes);
  }));
  EXPECT_TRUE(rc::check("durations", [] {
    const Duration duration{*rc::gen::inRange<std::int64_t>(0, std::int64_t{1} << 53)};
    RC_ASSERT(parse_duration(to_text(duration)).value() == duration);
  }));
  EXPECT_TRUE(rc::check("reals", [](double value) {
    RC_PRE(std::isfinite(value));
    RC_ASSERT(parse_real(to_text(value)).value() == value);
  }));
}

TEST(ToHuman, RoundsToAboutThreeDigits) {
  EXPECT_EQ(to_human(Bytes{512}), "512 B");
  EXPECT_EQ(to_human(Bytes{1536}), "1.5 KiB");
  EXPECT_EQ(to_human(1536_MiB), "1.50 GiB");
  EXPECT_EQ(to_human(seconds(125)), "2m 05s");
  EXPECT_EQ(to_human(seconds(3720)), "1h 02m");
  EXPECT_EQ(to_human(seconds(2)), "2.0 s");
  EXPECT_EQ(to_human(Duration{12'300'000}), "12.3 ms");
  EXPECT_EQ(to_human(Duration{800}), "0.8 us");
}

TEST(WithThousands, GroupsDigits) {
  EXPECT_EQ(with_thousands(0), "0");
  EXPECT_EQ(with_thousands(999), "999");
  EXPECT_EQ(with_thousands(1000), "1,000");
  EXPECT_EQ(with_thousands(1'998'235'200), "1,998,235,200");
  EXPECT_EQ(with_thousands(-123'456), "-123,456");
  EXPECT_EQ(with_thousands(-100), "-100");
}

}  // namespace
}  // namespace sweepd
