// Tests that an attempt's label names the axes of its sweep, also at their defaults.
#include <SQLiteCpp/SQLiteCpp.h>

#include "tests/db/fixture.h"

namespace sweepd {
namespace {

using testing::ElementsAre;

class LabelsTest : public DbTest {
 protected:
  // A sweep whose file declares these axes.
  NewSweep declaring(const std::string& name, const std::vector<std::string>& axes,
                     const std::vector<Settings>& points) const {
    NewSweep request = sweep(name, points);
    for (const std::string& axis : axes)
      request.sweep.matrix.push_back({*def().index_of(axis), {}});
    return request;
  }
  std::vector<std::string> labels(const SweepId& sweep) const {
    const auto attempts = reader_->attempts_of_sweep(sweep, 0);
    EXPECT_TRUE(attempts) << attempts.error().message;
    return texts(*attempts);
  }
  static std::vector<std::string> texts(const std::vector<AttemptRow>& attempts) {
    std::vector<std::string> found;
    for (const AttemptRow& attempt : attempts) found.push_back(attempt.label);
    return found;
  }
};

TEST_F(LabelsTest, AnAxisIsNamedAtItsDefaultAndInTheFilesOrder) {
  const auto request = declaring("s", {"context", "model"},
                                 {{}, {{"context", "64"}}, {{"model", "xl"}, {"scale", "0.25"}}});
  submit(request);
  EXPECT_THAT(labels(request.id), ElementsAre("context=128 model=small", "context=64 model=small",
                                              "context=128 model=xl scale=0.25"));
}

TEST_F(LabelsTest, AnAxisWithOneValueIsNamedToo) {
  const auto request = declaring("s", {"context"}, {{}});
  const auto attempt = submit(request).queued.front();
  EXPECT_THAT(labels(request.id), ElementsAre("context=128"));
  EXPECT_EQ(reader_->find_attempt(attempt.id)->label, "context=128");
  EXPECT_THAT(texts(reader_->attempts_of_trial(attempt.trial_key).value()),
              ElementsAre("context=128"));
}

TEST_F(LabelsTest, ASweepWithoutAxesLeavesTheDefaultsOut) {
  const auto request = sweep("s", {{}});
  submit(request);
  EXPECT_THAT(labels(request.id), ElementsAre(""));
}

TEST_F(LabelsTest, ProblemsAreNamedBySweepToo) {
  const auto request = declaring("s", {"context"}, {{}, {{"context", "64"}}});
  const auto queued = submit(request).queued;
  finish(ended(queued[0].row, {Failed{"boom", ""}, 0}));
  EXPECT_THAT(texts(reader_->last_problems(request.id, 9).value()), ElementsAre("context=128"));
}

TEST_F(LabelsTest, WithoutDeclaredAxesTheTrialsShowInWhatTheyDiffer) {
  const auto request = declaring("s", {"context"},
                                 {{{"tied", "true"}},
                                  {{"tied", "true"}, {"model", "xl"}},
                                  {{"tied", "true"}, {"timeout", "1s"}, {"model", "large"}}});
  submit(request);
  SQLite::Database(file().string(), SQLite::OPEN_READWRITE).exec("DELETE FROM sweep_axis");
  EXPECT_THAT(labels(request.id),
              ElementsAre("model=small timeout=30m tied=true", "model=xl timeout=30m tied=true",
                          "model=large timeout=1s tied=true"));
}

TEST_F(LabelsTest, AnAxisThatOnlySchedulesShowsWhatThisSweepWants) {
  const auto one = declaring("one", {"timeout", "model"}, {{{"timeout", "5s"}, {"model", "xl"}}});
  const auto two = declaring("two", {"timeout"}, {{{"timeout", "9s"}, {"model", "xl"}}});
  submit(one);
  EXPECT_EQ(submit(two).attempts_joined, 1);
  EXPECT_THAT(labels(one.id), ElementsAre("timeout=5s model=xl"));
  EXPECT_THAT(labels(two.id), ElementsAre("timeout=9s model=xl"));
}

TEST_F(LabelsTest, AnAttemptOfSeveralSweepsIsNamedByTheFirstThatWantsIt) {
  const auto one = declaring("one", {"context"}, {{}});
  const auto two = declaring("two", {"model"}, {{}, {{"model", "xl"}}});
  const auto attempt = submit(one).queued.front();
  submit(two);
  EXPECT_THAT(labels(two.id), ElementsAre("model=small", "model=xl"));
  EXPECT_EQ(reader_->find_attempt(attempt.id)->label, "context=128");
  const auto axes = [&] { return *store_->open_attempts().value().front().axes; };
  EXPECT_THAT(axes(), ElementsAre(*def().index_of("context")));
  ASSERT_TRUE(store_->cancel_sweep(one.id, WallTime{2}));
  EXPECT_EQ(reader_->find_attempt(attempt.id)->label, "model=small");
  EXPECT_THAT(axes(), ElementsAre(*def().index_of("model")));
}

TEST_F(LabelsTest, WhatIsQueuedKnowsItsAxes) {
  const auto request = declaring("s", {"context"}, {{}});
  const auto queued = submit(request).queued;
  ASSERT_TRUE(queued.front().axes);
  EXPECT_THAT(*queued.front().axes, ElementsAre(*def().index_of("context")));
  finish(ended(queued.front().row, {Failed{"boom", ""}, 0}));
  const auto again = store_->retry_sweep(request.id, {}, WallTime{1});
  ASSERT_TRUE(again);
  ASSERT_EQ(again->queued.size(), 1U);
  EXPECT_THAT(*again->queued.front().axes, ElementsAre(*def().index_of("context")));
}

}  // namespace
}  // namespace sweepd
