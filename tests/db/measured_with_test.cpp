// Tests Reader::measured_with: the properties that the attempts behind a query share.
#include "runner/model/measurement/measured_with.h"

#include "tests/db/results_fixture.h"

namespace sweepd {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class MeasuredWithTest : public ResultsTest {
 protected:
  MeasuredWith found(QuerySpec query) {
    query.workload = query.sweep.empty() ? "toy" : "";
    auto found = reader_->measured_with(query);
    EXPECT_TRUE(found) << found.error().message;
    return found ? *found : MeasuredWith{};
  }
  const MeasuredWith::Param& param(const MeasuredWith& found, const std::string& name) {
    for (const auto& each : found.params) {
      if (def().params[each.index].name == name) return each;
    }
    ADD_FAILURE() << "no " << name;
    return found.params.front();
  }
  std::vector<std::string> texts(const MeasuredWith& found, const std::string& name) {
    std::vector<std::string> all;
    const auto& one = param(found, name);
    for (const Value& value : one.values) all.push_back(def().params[one.index].text(value));
    return all;
  }
};

TEST_F(MeasuredWithTest, ListsTheValuesOfEachParameter) {
  const auto queued = submit(sweep("s", {{{"context", "64"}, {"model", "xl"}},
                                         {{"context", "128"}, {"model", "small"}},
                                         {{"context", "256"}, {"model", "xl"}},
                                         {{"context", "512"}, {"model", "xl"}}}))
                          .queued;
  for (const auto& attempt : queued) finish(done(attempt.row, 1, 2));
  const MeasuredWith all = found(by({"phase"}));
  EXPECT_THAT(texts(all, "context"), ElementsAre("64", "512"));
  EXPECT_TRUE(param(all, "context").several);
  EXPECT_THAT(texts(all, "model"), ElementsAre("small", "xl"));
  EXPECT_FALSE(param(all, "model").several);
  EXPECT_THAT(texts(all, "tied"), ElementsAre("false"));
  EXPECT_TRUE(param(found(by({"model"})), "model").several) << "a row shows them";
  EXPECT_THAT(texts(found(by({}, {}, {{"model", {"small"}}})), "context"), ElementsAre("128"));
}

TEST_F(MeasuredWithTest, SaysWhenAndByWhatItWasMeasured) {
  const auto queued = submit(sweep("s", {{{"context", "1"}}, {{"context", "2"}}})).queued;
  AttemptRecord first = done(queued[0].row, 1, 2, WallTime{7'000'000'000});
  first.environment->version = "0.2.0";
  first.environment->build_commit = "aaaa";
  finish(first);
  AttemptRecord second = done(queued[1].row, 1, 2, WallTime{9'000'000'000});
  second.environment->build_commit = "bbbb";
  finish(second);
  const MeasuredWith all = found(by({"context"}));
  EXPECT_THAT(all.programs, ElementsAre("0.2.0", "bbbb")) << "an old result has no version";
  EXPECT_THAT(all.devices, ElementsAre("Test CPU"));
  ASSERT_TRUE(all.first && all.last);
  EXPECT_EQ(all.first->ns, 7'000'000'000);
  EXPECT_EQ(all.last->ns, 9'000'000'000);
}

// The seed changes no figure, but a table of one seed names it.
TEST_F(MeasuredWithTest, WhatDoesNotMatterIsThereIfAFilterNamesIt) {
  finish(done(submit(sweep("s", {{{"seed", "7"}}})).queued.front().row, 1, 2));
  const auto seed = [&](const QuerySpec& query) {
    return std::ranges::any_of(found(query).params, [&](const auto& each) {
      return def().params[each.index].name == "seed";
    });
  };
  EXPECT_FALSE(seed(by({"model"})));
  EXPECT_TRUE(seed(by({"model"}, {}, {{"seed", {"7"}}})));
}

// A later sweep has other points of the same workload.
TEST_F(MeasuredWithTest, AnotherSweepDoesNotCount) {
  const NewSweep first = sweep("first", {{{"context", "64"}}});
  for (const auto& attempt : submit(first).queued) finish(done(attempt.row, 1, 2));
  for (const auto& attempt : submit(sweep("second", {{{"context", "512"}}})).queued) {
    finish(done(attempt.row, 1, 2));
  }
  QuerySpec query = by({"model"});
  query.sweep = first.id;
  EXPECT_THAT(texts(found(query), "context"), ElementsAre("64"));
}

TEST_F(MeasuredWithTest, WhatIsOpenHasParametersAlone) {
  submit(sweep("s", {{{"context", "64"}}}));
  const MeasuredWith all = found(by({"model"}));
  EXPECT_THAT(texts(all, "context"), ElementsAre("64"));
  EXPECT_FALSE(all.first);
  EXPECT_THAT(all.programs, IsEmpty());
  EXPECT_THAT(all.devices, IsEmpty());
}

TEST_F(MeasuredWithTest, WithoutResultsNothingIsKnown) {
  EXPECT_THAT(texts(found(by({"model"})), "context"), IsEmpty());
}

}  // namespace
}  // namespace sweepd
