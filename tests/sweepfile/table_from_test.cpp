// Tests tables that draw on several sweeps, and tables that name a source.
#include <gmock/gmock.h>

#include "tests/sweepfile/parse.h"

namespace sweepd::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Two sweeps of two workloads in one file; the table is the first one's.
std::string two(const std::string& table) {
  return "sweep: a\nworkload: lm_step\nmatrix: {model: [tiny, small]}\ntables:\n  - {" + table +
         "}\n---\nsweep: b\nworkload: matmul\nmatrix: {size: [64, 128]}\n";
}

TEST(TableFrom, IsTheTablesFilterBySweep) {
  const Parsed parsed =
      parse(two("from: [a, b], rows: [sweep, model, size], "
                "values: [{name: A, where: {sweep: a}}, {name: B}]"));
  ASSERT_EQ(render(parsed.errors), "");
  const TableSpec& table = parsed.sweeps[0].tables[0];
  ASSERT_EQ(table.where.size(), 1U);
  EXPECT_EQ(table.where[0].name, "sweep");
  EXPECT_THAT(table.where[0].values, ElementsAre("a", "b"));
  EXPECT_THAT(table.rows, ElementsAre("sweep", "model", "size"));
}

TEST(TableFrom, NamesAreThoseOfItsWorkloads) {
  EXPECT_THAT(
      messages(two("from: [a, b], rows: [sweep, model, size, sizes]")),
      ElementsAre("5:47 rows: `sizes` is neither a parameter of lm_step nor a column of results"));
  EXPECT_THAT(
      messages(two("rows: [model, size]")),
      ElementsAre("5:20 rows: `size` is neither a parameter of lm_step nor a column of results"));
  EXPECT_THAT(messages(two("rows: [model, sweep]")), testing::SizeIs(1)) << "of one sweep";
  // A workload by its name, and a sweep of another file, whose workload is not known.
  EXPECT_THAT(messages(two("from: [a, memcpy], rows: [sweep, model, bytes]")), IsEmpty());
  EXPECT_THAT(messages(two("from: [a, elsewhere], rows: [sweep, model, bytes, size]")), IsEmpty());
}

TEST(TableFrom, APlotBehindItDrawsOnItsOwnSweep) {
  const std::string plots = "plots:\n  - {x: sweep, y: mean, color: model}\n";
  std::string text = two("from: [a, b], rows: [sweep, model, size]");
  text.insert(text.find("---"), plots);
  EXPECT_THAT(
      messages(text),
      ElementsAre("7:9 x: `sweep` is neither a parameter of lm_step nor a column of results"));
}

TEST(TableFrom, ValuesAreTypedByTheWorkloadThatHasThem) {
  const Parsed parsed = parse(two("from: [a, b], rows: [sweep, model], where: {size: 1K}"));
  ASSERT_EQ(render(parsed.errors), "");
  EXPECT_THAT(parsed.sweeps[0].tables[0].where[1].values, ElementsAre("1000"));
  EXPECT_THAT(messages(two("from: [a, b], rows: [sweep, model], where: {size: many}")),
              ElementsAre(HasSubstr("size: ")));
}

TEST(TableFrom, Mistakes) {
  EXPECT_THAT(messages(two("from: a, rows: [model]")),
              ElementsAre(HasSubstr("5:12 from: expected a list of sweeps or workloads")));
  EXPECT_THAT(messages(two("from: [], rows: [model]")),
              ElementsAre("5:12 from: the list is empty"));
  EXPECT_THAT(messages(two("from: [a, a], rows: [model]")),
              ElementsAre("5:16 from: `a` is listed twice"));
  EXPECT_THAT(messages(two("from: [a, b], rows: [sweep, model, size], where: {sweep: a}")),
              ElementsAre(HasSubstr("`from` already names the sweeps of the table")));
  EXPECT_THAT(
      messages(two("from: [a, b], rows: [sweep, model, size], values: [{where: {sweep: c}}]")),
      ElementsAre(HasSubstr("where: sweep `c` is not one of `from`: a, b")));
}

// Each sweep of the file that the table draws on must be spread over its cells.
TEST(TableFrom, IsCheckedForPoolingWithEachSweepOfTheFile) {
  EXPECT_THAT(messages(two("from: [a, b], rows: [sweep, model, size]")), IsEmpty());
  EXPECT_THAT(messages(two("from: [a, b], rows: [sweep, model]")),
              ElementsAre(HasSubstr("the cells of this table would pool size (64, 128)")));
  EXPECT_THAT(messages(two("from: [a, b], rows: [sweep, size]")),
              ElementsAre(HasSubstr("the cells of this table would pool model (small, tiny)")));
  EXPECT_THAT(messages(two("from: [a, b], rows: [model], where: {size: 64}")), IsEmpty());
  EXPECT_THAT(messages(two("from: [a, b], rows: [model], values: [{where: {sweep: a}}]")),
              IsEmpty())
      << "no value shows b";
}

TEST(TableSource, IsAColumnOfEveryTable) {
  EXPECT_THAT(messages(two("rows: [model], columns: [source]")), IsEmpty());
  EXPECT_THAT(messages(two("rows: [model], where: {source: measured}, baseline: {source: '003'}, "
                           "cell: '{ratio:.2f}'")),
              IsEmpty());
}

}  // namespace
}  // namespace sweepd::test
