// Tests the output of `study` before and during its measurements.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/client/study/study_plan.h"
#include "runner/client/watch/total_progress.h"
#include "runner/report/cell/report.h"

namespace sweepd {
namespace {

using testing::HasSubstr;

rpc::Progress progress(std::int64_t done, std::int64_t total, std::optional<Duration> left) {
  rpc::Progress one;
  one.counts.total = total;
  one.counts.ended = done;
  one.counts.by_outcome[static_cast<std::size_t>(Outcome::kDone)] = done;
  one.left = left;
  one.over = done == total;
  return one;
}

TEST(StudyProgress, AddsUp) {
  std::map<std::string, rpc::Progress> all{{"a", progress(2, 3, seconds(5))},
                                           {"b", progress(4, 4, std::nullopt)}};
  rpc::Progress total = total_of(all);
  EXPECT_EQ(total.counts.total, 7);
  EXPECT_EQ(total.counts.done(), 6);
  EXPECT_EQ(total.left, seconds(5)) << "b has ended, so its time is not needed";
  EXPECT_FALSE(total.over);
  all["c"] = progress(0, 1, std::nullopt);
  EXPECT_FALSE(total_of(all).left) << "nobody knows how long c takes";
  RunningAttempt run;
  run.id = "x";
  all["a"].running = all["c"].running = {run};
  EXPECT_EQ(total_of(all).running.size(), 1U) << "an attempt that two sweeps wait for runs once";
  EXPECT_TRUE(total_of({{"b", progress(4, 4, std::nullopt)}}).over);
}

TEST(StudyProgress, IsPausedWhenNothingOfItGoesOn) {
  std::map<std::string, rpc::Progress> all{{"a", progress(2, 3, seconds(5))},
                                           {"b", progress(4, 4, std::nullopt)},
                                           {"c", progress(0, 1, std::nullopt)}};
  all["c"].paused = true;
  EXPECT_FALSE(total_of(all).paused) << "a goes on";
  all["a"].paused = true;
  EXPECT_TRUE(total_of(all).paused) << "b has ended";
}

TEST(StudyPlan, OneRowASweepAndTheSum) {
  SweepPlan known, unknown;
  known.name = "known";
  known.trials = 2;
  known.to_run = 4;
  known.reused = 1;
  known.time.total = seconds(90);
  unknown.name = "unknown";
  unknown.trials = 3;
  unknown.to_run = 3;
  Study study;
  study.name = "s";
  study.scale = "small";
  const Table table = study_plan(study, {{{known}}, {{unknown}}});
  std::vector<std::vector<std::string>> texts;
  for (const auto& row : table.rows) {
    for (std::vector<std::string>& line = texts.emplace_back(); const Cell& cell : row) {
      line.push_back(cell.text);
    }
  }
  using Line = std::vector<std::string>;
  EXPECT_THAT(texts, testing::ElementsAre(Line{"known", "2", "4", "1", "0", "1m 30s"},
                                          Line{"unknown", "3", "3", "0", "0", "?"},
                                          Line{"all", "5", "7", "1", "0", "at least 1m 30s"}));
  EXPECT_EQ(table.title, "s at scale small");
  EXPECT_THAT(table.notes,
              testing::ElementsAre(HasSubstr("3 of 7 attempts to run have no estimate")));
}

}  // namespace
}  // namespace sweepd
