// Tests that published figures are kept, replaced and removed, and never read as results.
#include <cmath>

#include "tests/db/fixture.h"

namespace sweepd {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

PublishedFigures published(const std::string& name, double value) {
  ReferenceRow row;
  row.line = 7;
  row.source = "003";
  row.experiment = "e";
  row.device = "A100";
  row.workload = "toy";
  row.metric = "time";
  row.unit = "ms";
  row.value = value;
  row.std = NAN;
  row.n = 10;
  row.params = {{"model", "small"}};
  row.doubts = {"first", "second"};
  row.remarks = {"third"};
  row.invalid = true;
  ReferenceRow other;
  other.source = "004";
  other.metric = "speed";
  other.value = 1;
  return {name, "what it is", {row, other}};
}

TEST_F(DbTest, AReferenceIsReadAsItWasAdded) {
  ASSERT_TRUE(store_->add_reference(published("r", 5), WallTime{seconds(9).ns}));
  const auto rows = reader_->reference_rows("toy", "time");
  ASSERT_TRUE(rows);
  ASSERT_EQ(rows->size(), 1U);
  const ReferenceRow& row = rows->front();
  EXPECT_EQ(row.line, 7);
  EXPECT_EQ(row.source, "003");
  EXPECT_EQ(row.device, "A100");
  EXPECT_EQ(row.phase, "step");
  EXPECT_DOUBLE_EQ(row.value, 5);
  EXPECT_TRUE(std::isnan(row.std));
  EXPECT_EQ(row.n, 10);
  EXPECT_TRUE(row.invalid);
  EXPECT_THAT(row.params, ElementsAre(Pair("model", "small")));
  EXPECT_THAT(row.doubts, ElementsAre("first", "second"));
  EXPECT_THAT(row.remarks, ElementsAre("third"));
  const auto all = reader_->references();
  ASSERT_EQ(all->size(), 1U);
  EXPECT_EQ(all->front().rows, 2);
  EXPECT_EQ(all->front().shown, 1);
  EXPECT_EQ(all->front().doubted, 1);
  EXPECT_THAT(all->front().sources, ElementsAre("003", "004"));
}

TEST_F(DbTest, APublishedPointWithoutAPhaseHasNoMemoryEither) {
  PublishedFigures figures = published("r", 5);
  figures.rows[0].phase = "";
  figures.rows[0].outcome = "oom";
  ASSERT_TRUE(store_->add_reference(figures, {}));
  const auto found = [&](const char* metric) {
    return reader_->reference_rows("toy", metric)->size();
  };
  EXPECT_EQ(found("peak_allocated_bytes"), 1U);
  EXPECT_EQ(found("figure.weights_bytes"), 0U) << "a formula gives it all the same";
  EXPECT_EQ(found("fact.weights_bytes"), 0U);
  EXPECT_EQ(found("loss"), 0U);
  figures.rows[0].outcome = "done";
  ASSERT_TRUE(store_->add_reference(figures, {}));
  EXPECT_EQ(found("peak_allocated_bytes"), 0U);
}

TEST_F(DbTest, AReferenceReplacesThatOfItsName) {
  ASSERT_TRUE(store_->add_reference(published("r", 5), {}));
  ASSERT_TRUE(store_->add_reference(published("other", 6), {}));
  ASSERT_TRUE(store_->add_reference(published("r", 7), {}));
  const auto rows = reader_->reference_rows("toy", "time");
  ASSERT_EQ(rows->size(), 2U);
  EXPECT_DOUBLE_EQ((*rows)[0].value, 6);
  EXPECT_DOUBLE_EQ((*rows)[1].value, 7);
  EXPECT_EQ(*store_->remove_reference("r"), 2);
  EXPECT_EQ(reader_->reference_rows("toy", "time")->size(), 1U);
  EXPECT_THAT(sql("SELECT count(*) FROM reference_param"), ElementsAre("1"));
  EXPECT_THAT(sql("SELECT count(*) FROM reference_doubt"), ElementsAre("3"));
  const auto again = store_->remove_reference("r");
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::kNotFound);
}

TEST_F(DbTest, NoQueryOfResultsFindsAReference) {
  submit(sweep("s", {{{"model", "small"}}}));
  ASSERT_TRUE(store_->add_reference(published("r", 5), {}));
  QuerySpec query;
  query.workload = "toy";
  query.table.rows = {"model"};
  const auto set = reader_->results(query, false);
  ASSERT_TRUE(set) << set.error().message;
  ASSERT_EQ(set->rows.size(), 1U);
  EXPECT_TRUE(set->rows.front().pending);
  EXPECT_THAT(sql("SELECT * FROM attempt WHERE outcome IS NOT NULL"), IsEmpty());
}

}  // namespace
}  // namespace sweepd
