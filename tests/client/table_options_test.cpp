#include "runner/client/render/table_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/report/render/option_text.h"

namespace sweepd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(TableOptions, AValueHasTheKeysOfTheSweepFile) {
  const auto value = parse_value_option(
      "name=Peak (MiB),cell={max:,.0f}, roughly,metric=peak_allocated_bytes,unit=MiB,"
      "where.phase=step|forward,where.precision=bf16,warmup=true,bold=slower");
  ASSERT_TRUE(value) << value.error().message;
  EXPECT_EQ(value->name, "Peak (MiB)");
  EXPECT_EQ(value->cell, "{max:,.0f}, roughly") << "a comma is part of a cell";
  EXPECT_EQ(value->metric, "peak_allocated_bytes");
  EXPECT_EQ(value->unit, "MiB");
  ASSERT_EQ(value->where.size(), 2U);
  EXPECT_EQ(value->where[0].name, "phase");
  EXPECT_THAT(value->where[0].values, ElementsAre("step", "forward"));
  EXPECT_THAT(value->where[1].values, ElementsAre("bf16"));
  EXPECT_EQ(value->warmup, true);
  EXPECT_EQ(value->bold, Bold::kSlower);
}

TEST(TableOptions, WhatIsLeftOutIsTheTables) {
  const auto value = parse_value_option("cell={mean}");
  ASSERT_TRUE(value);
  EXPECT_EQ(value->warmup, std::nullopt);
  EXPECT_TRUE(value->name.empty() && value->metric.empty() && value->where.empty());
}

TEST(TableOptions, MistakesSayWhatIsExpected) {
  const struct {
    const char* text;
    const char* says;
  } cases[] = {
      {"{mean}", "`{mean}` does not begin with a key; write KEY=TEXT,KEY=TEXT"},
      {"nmae=Min", "did you mean `name`?"},
      {"where.=x", "`where.=x` does not begin with a key"},
      {"warmup=yes", "expected true or false"},
      {"bold=quicker", "`quicker` is not one of none, faster, slower, changed"},
  };
  for (const auto& c : cases) {
    const auto value = parse_value_option(c.text);
    ASSERT_FALSE(value) << c.text;
    EXPECT_THAT(value.error().message, HasSubstr("--value: ")) << c.text;
    EXPECT_THAT(value.error().message, HasSubstr(c.says)) << c.text;
  }
}

TEST(TableOptions, FiltersAndHeadings) {
  const auto filter = filter_from_text("--where", "context=64,128");
  ASSERT_TRUE(filter);
  EXPECT_EQ(filter->name, "context");
  EXPECT_THAT(filter->values, ElementsAre("64", "128"));
  EXPECT_THAT(filter_from_text("--baseline", "fp32").error().message,
              HasSubstr("--baseline: `fp32` must be name=value"));
  std::vector<std::string> rows{"model=Size", "context"};
  std::vector<TableSpec::Heading> headings;
  split_headings(rows, headings);
  EXPECT_THAT(rows, ElementsAre("model", "context"));
  ASSERT_EQ(headings.size(), 1U);
  EXPECT_EQ(headings[0].name + " " + headings[0].text, "model Size");
}

TEST(CheckName, RefusesAFilterWithoutItsOption) {
  EXPECT_TRUE(check_name("a workload", "lm_step"));
  EXPECT_EQ(check_name("a workload", "phase=step").error().message,
            "`phase=step` is not a workload; a filter is written --where phase=step");
}

}  // namespace
}  // namespace sweepd
