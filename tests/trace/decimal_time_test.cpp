#include "runner/trace/decimal_time.h"

#include <gtest/gtest.h>

namespace sweepd::trace {
namespace {

TEST(DecimalTime, EveryFormOfANumberIsExact) {
  const struct {
    const char* text;
    std::int64_t ns;
  } cases[] = {
      {"0", 0},
      {"-0.0", 0},
      {"5", 5'000},
      {"1694039968956739", 1'694'039'968'956'739'000},
      {"1712195495505543.2", 1'712'195'495'505'543'200},
      {"1712195495505543.201", 1'712'195'495'505'543'201},
      {"1712195495505543.2000000476837158", 1'712'195'495'505'543'200},
      {"0.0004", 0},
      {"0.0005", 1},
      {"0.00049999", 0},
      {"12.3456", 12'346},
      {"-12.3456", -12'346},
      {"1.5e3", 1'500'000},
      {"1.712195495505543E15", 1'712'195'495'505'543'000},
      {"25e-4", 3},
      {"5e-324", 0},
      {"0.000000000000000000000000000000000000000000000000012e50", 1'200},
      {"2300000000000000", 2'300'000'000'000'000'000},
  };
  for (const auto& each : cases) EXPECT_EQ(us_to_ns(each.text), each.ns) << each.text;
}

TEST(DecimalTime, WhatIsNoTimeHasNoValue) {
  for (const char* text : {"", "-", "abc", "1.2.3", ".5", "1e", "1ex", "NaN", "Infinity", "1 ",
                           "2300000000000001", "99999999999999999999", "1e300", "1e99999999999"}) {
    EXPECT_EQ(us_to_ns(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace sweepd::trace
