// Tests a journal after its output was read again with other patterns.
#include "runner/worker/journal/reread.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sweepd {
namespace {

Sample reread_sample(const char* metric, double value) {
  Sample sample;
  sample.phase = "step";
  sample.metric = metric;
  sample.value = value;
  return sample;
}

TEST(Reread, NewFiguresReplaceThoseOfTheOldPatternsAlone) {
  std::vector<Event> events{
      StartedEvent{},
      StepEvent{0, true, {reread_sample("time", 1), reread_sample("loss", 9)}},
      StepEvent{0, true, {reread_sample("loss", 8)}},
      FactEvent{"model", {}, "old"},
      FactEvent{"torch", {}, "2.11"},
      EndEvent{{Done{"program"}}, {}, 5, 2},
  };
  Reading before, now;
  before.steps = {{0, true, {reread_sample("loss", 9)}}};
  before.facts = {{"model", {}, "old"}};
  now.steps = {{0, true, {reread_sample("accuracy", 0.5)}}, {1, false, {reread_sample("loss", 7)}}};
  now.facts = {{"model", {}, "new"}};
  std::vector<std::string> lines;
  for (const Event& event : with_reading(std::move(events), before, now)) {
    lines.push_back(event_to_line(event));
  }
  ASSERT_EQ(lines.size(), 7U);
  EXPECT_THAT(lines[1], testing::HasSubstr("\"time\""));
  EXPECT_THAT(lines[1], testing::Not(testing::HasSubstr("\"loss\"")));
  EXPECT_THAT(lines[2], testing::HasSubstr("2.11"));
  EXPECT_THAT(lines[3], testing::HasSubstr("\"accuracy\""));
  EXPECT_THAT(lines[4], testing::HasSubstr("\"step\":1"));
  EXPECT_THAT(lines[5], testing::HasSubstr("new"));
  EXPECT_THAT(lines[6],
              testing::AllOf(testing::HasSubstr("\"lines\":6"), testing::HasSubstr("\"steps\":3")));
}

}  // namespace
}  // namespace sweepd
