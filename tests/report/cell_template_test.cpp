#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "runner/report/cell/cell_format.h"
#include "runner/report/cell/report.h"

namespace sweepd {
namespace {

using ::testing::HasSubstr;

std::string mistake(std::string_view text) {
  const auto cell = parse_cell(text);
  return cell ? "accepted" : cell.error().message;
}

std::string formatted(double value, std::string_view format) {
  const auto parsed = report::parse_number_format(format);
  return parsed ? report::format_number(value, *parsed) : "error: " + parsed.error().message;
}

TEST(CellTemplate, SplitsLiteralsNamesAndFormats) {
  const auto cell = parse_cell("{mean:.1f} ± {std:.1f}");
  ASSERT_TRUE(cell);
  ASSERT_EQ(cell->parts.size(), 3u);
  EXPECT_EQ(cell->parts[0].name, "mean");
  EXPECT_EQ(cell->parts[0].format, ".1f");
  EXPECT_EQ(cell->parts[1].literal, " ± ");
  EXPECT_EQ(cell->parts[2].name, "std");
}

TEST(CellTemplate, DoubledBracesAreLiteral) {
  const auto cell = parse_cell("{{{n}}}");
  ASSERT_TRUE(cell);
  ASSERT_EQ(cell->parts.size(), 3u);
  EXPECT_EQ(cell->parts[0].literal, "{");
  EXPECT_EQ(cell->parts[1].name, "n");
  EXPECT_EQ(cell->parts[2].literal, "}");
}

TEST(CellTemplate, MistakesNameTheColumnAndTheNearestName) {
  EXPECT_THAT(mistake("{meen:.1f}"), HasSubstr("column 2: `meen` is not a figure"));
  EXPECT_THAT(mistake("{meen:.1f}"), HasSubstr("did you mean `mean`?"));
  // Columns are counted as in an editor: ± is one column, although it is two bytes.
  EXPECT_THAT(mistake("± {medain}"), HasSubstr("column 4"));
  EXPECT_THAT(mistake("{mean:.1f"), HasSubstr("column 1: `{` is not closed"));
  EXPECT_THAT(mistake("{mean {std}"), HasSubstr("column 1: `{` is not closed"));
  EXPECT_THAT(mistake("{mean} }"), HasSubstr("column 8: `}` has no `{`"));
  EXPECT_THAT(mistake("{}"), HasSubstr("`` is not a figure"));
  EXPECT_THAT(mistake("{mean:.1x}"), HasSubstr("column 6: mean: `.1x` is not a format"));
  EXPECT_THAT(mistake("{mean:.f}"), HasSubstr("digits from 0 to 17"));
  EXPECT_THAT(mistake("{mean:.99f}"), HasSubstr("digits from 0 to 17"));
  EXPECT_THAT(mistake("{mean:d}"), HasSubstr("`d` is for n"));
  EXPECT_THAT(mistake("{outcome:.1f}"), HasSubstr("takes no format"));
  EXPECT_THAT(mistake("just words"), HasSubstr("shows no figure"));
}

TEST(CellTemplate, OnlyOrderStatisticsNeedSamples) {
  EXPECT_FALSE(parse_cell("{n} {mean} {std} {min} {max} {sum} {outcome}")->needs_samples());
  EXPECT_FALSE(parse_cell("{tflops} {mfu}")->needs_samples()) << "work by the mean time";
  for (const char* name : {"{median}", "{p05}", "{p95}", "{mad}"}) {
    EXPECT_TRUE(parse_cell(name)->needs_samples()) << name;
  }
  QuerySpec query;
  EXPECT_FALSE(needs_samples(query));
  query.table.sort = {"model", "-median"};
  EXPECT_TRUE(needs_samples(query));
}

TEST(NumberFormat, AgreesWithPython) {
  struct Case {
    double value;
    const char* format;
    const char* expected;  // the result of Python's format()
  };
  const Case cases[] = {
      {1234.5678, ".1f", "1234.6"},
      {1234.5678, ",.1f", "1,234.6"},
      {1998235200, ",.0f", "1,998,235,200"},
      {-1234567.891, ",.2f", "-1,234,567.89"},
      {0.4567, ".1%", "45.7%"},
      {0.000012345, ".2e", "1.23e-05"},
      {0.000012345, ".3g", "1.23e-05"},
      {2.5, ".0f", "2"},  // halves round to even, by the digits of the double
      {0.125, ".2f", "0.12"},
      {12.0, "f", "12.000000"},
      {999.999, ",.1f", "1,000.0"},
      {999, ",.0f", "999"},
  };
  for (const Case& c : cases) EXPECT_EQ(formatted(c.value, c.format), c.expected) << c.format;
}

TEST(NumberFormat, WithoutAFormatSixDigitsAndNoNeedlessExponent) {
  EXPECT_EQ(formatted(10, ""), "10");
  EXPECT_EQ(formatted(1998235200, ""), "1998235200");
  EXPECT_EQ(formatted(1998235200, ","), "1,998,235,200");
  EXPECT_EQ(formatted(12.3456789, ""), "12.3457");
  EXPECT_EQ(formatted(1234567.89, ""), "1234568");
  EXPECT_EQ(formatted(0.25, ".1%"), "25.0%");
}

TEST(NumberFormat, NothingOddAtTheEdges) {
  EXPECT_EQ(formatted(-0.04, ".1f"), "0.0");
  EXPECT_EQ(formatted(-0.0, ""), "0");
  EXPECT_EQ(formatted(-0.06, ".1f"), "-0.1");
  EXPECT_EQ(formatted(std::numeric_limits<double>::quiet_NaN(), ",.1f"), "nan");
  EXPECT_EQ(formatted(-std::numeric_limits<double>::infinity(), ".1%"), "-inf");
}

}  // namespace
}  // namespace sweepd
