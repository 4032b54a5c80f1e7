#include "runner/report/cell/convert.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sweepd::report {
namespace {

using ::testing::HasSubstr;

TEST(Convert, TimesAndSizes) {
  struct Case {
    double value;
    const char* from;
    const char* to;
    double expected;
  };
  const Case cases[] = {
      {1500, "ms", "s", 1.5},      {1.5, "s", "ms", 1500},
      {0.25, "ms", "us", 250},     {3, "us", "ns", 3000},
      {90, "s", "m", 1.5},         {1500000, "B", "MB", 1.5},
      {1572864, "B", "MiB", 1.5},  {1, "GiB", "MB", 1073.741824},
      {2.5, "ms", "", 2.5},        {7, "", "", 7},
      {0.1, "ms", "ms", 0.1},      {1 << 20, "B", "KiB", 1024},
      {1.5, "GB/s", "MB/s", 1500}, {1.073741824, "GB/s", "GiB/s", 1},
  };
  for (const Case& c : cases) {
    const auto convert = conversion(c.from, c.to);
    ASSERT_TRUE(convert) << c.from << " -> " << c.to;
    EXPECT_DOUBLE_EQ((*convert)(c.value), c.expected) << c.from << " -> " << c.to;
  }
}

// A gigabyte is not a gibibyte. They differ by 7 %, and each has been printed for the other.
TEST(Convert, DecimalAndBinarySizesDiffer) {
  const double bytes = 16e9;
  EXPECT_DOUBLE_EQ((*conversion("B", "GB"))(bytes), 16.0);
  EXPECT_NEAR((*conversion("B", "GiB"))(bytes), 14.901, 0.001);
}

TEST(Convert, ImpossibleOnesNameBothUnits) {
  EXPECT_THAT(conversion("ms", "GB").error().message, HasSubstr("in ms cannot be shown in GB"));
  EXPECT_THAT(conversion("GB/s", "GB").error().message, HasSubstr("cannot be shown in GB"));
  EXPECT_THAT(conversion("B", "s").error().message, HasSubstr("in B cannot be shown in s"));
  EXPECT_THAT(conversion("1", "ms").error().message,
              HasSubstr("without a unit cannot be shown in ms"));
}

TEST(Convert, UnknownUnitsNameTheNearest) {
  const auto error = conversion("ms", "msec").error().message;
  EXPECT_THAT(error, HasSubstr("`msec` is not a unit"));
  EXPECT_THAT(error, HasSubstr("ns, us, ms, s, m, B, KB"));
  EXPECT_THAT(conversion("B", "gib").error().message, HasSubstr("not a unit"));
}

}  // namespace
}  // namespace sweepd::report
