#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/report/cell/report.h"

namespace sweepd {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const std::vector<std::string> kDimensions{"model", "context", "precision", "phase", "outcome"};

std::string mistake_of(const TableSpec& table) {
  const auto valid = validate(table, kDimensions);
  return valid ? "accepted" : valid.error().message;
}

TableSpec good() {
  TableSpec table;
  table.title = "Step time";
  table.rows = {"model", "context"};
  table.columns = {"precision", "phase"};
  table.cell = "{mean:.1f} ± {std:.1f}";
  table.unit = "s";
  table.where = {{"outcome", {"done"}}};
  return table;
}

TEST(Validate, AcceptsTheTableOfTheDesign) {
  EXPECT_EQ(mistake_of(good()), "accepted");
  EXPECT_EQ(mistake_of({}), "accepted") << "the reporter chooses what is left out";
}

TEST(Validate, UnknownNamesWithTheNearest) {
  TableSpec table = good();
  table.rows = {"modle"};
  EXPECT_THAT(mistake_of(table),
              AllOf(HasSubstr("table `Step time`"), HasSubstr("rows: there is no column `modle`"),
                    HasSubstr("did you mean `model`?")));
  table = good();
  table.where = {{"presicion", {"fp32"}}};
  EXPECT_THAT(mistake_of(table), HasSubstr("where: there is no column `presicion` (did you mean"));
}

TEST(Validate, ADimensionStandsInOnePlace) {
  TableSpec table = good();
  table.columns = {"model"};
  EXPECT_THAT(mistake_of(table), HasSubstr("`model` is in both rows and columns"));
  table = good();
  table.rows = {"model", "context", "model"};
  EXPECT_THAT(mistake_of(table), HasSubstr("rows: `model` is listed twice"));
}

TEST(Validate, UnitsFitTheMetric) {
  TableSpec table = good();
  table.unit = "GiB";
  EXPECT_THAT(mistake_of(table), HasSubstr("time: unit: values in ms cannot be shown in GiB"));
  table.metric = "peak_allocated_bytes";
  EXPECT_EQ(mistake_of(table), "accepted");
  table.metric = "loss";
  EXPECT_THAT(mistake_of(table), HasSubstr("without a unit cannot be shown in GiB"));
  table.metric = "something_new";
  EXPECT_EQ(mistake_of(table), "accepted") << "only the results know its unit";
  table.unit = "parsec";
  EXPECT_THAT(mistake_of(table), HasSubstr("`parsec` is not a unit"));
}

TEST(Validate, SortsByWhatTheTableHas) {
  TableSpec table = good();
  table.values.resize(1);
  table.values[0].name = "Peak (ms)";
  table.sort = {"-Peak (ms)", "context", "-median"};
  EXPECT_EQ(mistake_of(table), "accepted");
  table.sort = {"-contxt", "precision"};
  EXPECT_THAT(mistake_of(table),
              AllOf(HasSubstr("sort: `contxt`"), HasSubstr("did you mean `context`"),
                    HasSubstr("sort: `precision` is neither one of the table's rows")));
}

TEST(Validate, AllMistakesAtOnce) {
  TableSpec table = good();
  table.rows = {"modle"};
  table.cell = "{meen}";
  table.unit = "GB";
  table.where = {{"outcome", {}}};
  EXPECT_THAT(mistake_of(table), AllOf(HasSubstr("modle"), HasSubstr("meen"), HasSubstr("GB"),
                                       HasSubstr("where: `outcome` has no values")));
}

}  // namespace
}  // namespace sweepd
