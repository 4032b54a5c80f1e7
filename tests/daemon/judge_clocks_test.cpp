// Tests that a GPU's clock is judged by the same device's earlier clocks for the same trial.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/daemon/attempts/judge_attempt.h"
#include "tests/db/fixture.h"

namespace sweepd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class JudgeClocks : public DbTest {
 protected:
  void SetUp() override {
    DbTest::SetUp();
    for (const auto& open : submit(sweep("s", {{{"repeats", "20"}}})).queued) {
      rows_.push_back(open.row);
    }
  }
  // Judges the next repeat, and stores it with the verdict.
  Judgement run(std::int64_t mhz, const std::string& uuid = "GPU-a",
                Verdict verdict = Verdict::kValid) {
    OpenAttempt attempt;
    attempt.row = rows_.at(next_++);
    AttemptRecord record = done(attempt.row, 1, 2);
    DeviceInfo& device = record.environment->devices.at(0);
    device.kind = "cuda";
    device.uuid = uuid;
    device.name = "NVIDIA H200";
    DeviceState before, after;
    before.moment = "before";
    before.sm_clock_mhz = 210;
    after.moment = "after";
    after.sm_clock_mhz = mhz;
    record.environment->states = {before, after};
    record.judgement.verdict = verdict;
    record.judgement = judge_attempt(*store_, attempt, record, 1);
    finish(record);
    return record.judgement;
  }

  std::vector<std::int64_t> rows_;
  std::size_t next_ = 0;
};

TEST_F(JudgeClocks, ALowerClockThanBeforeIsSuspect) {
  for (const std::int64_t mhz : {1755, 1740, 1755}) EXPECT_THAT(run(mhz).reasons, IsEmpty());
  EXPECT_THAT(run(1305).reasons,
              ElementsAre("the device ran at 1305 MHz after the measured steps, and at 1755 MHz in "
                          "the 3 valid results of this trial before"));
  // The suspect one does not lower the usual clock.
  EXPECT_THAT(run(1305).reasons, ElementsAre(HasSubstr("1755 MHz in the 3 valid results")));
  EXPECT_EQ(run(1725).verdict, Verdict::kValid);
}

TEST_F(JudgeClocks, OnlyTheSameDeviceCounts) {
  for (int i = 0; i < 5; ++i) run(1980, "GPU-a");
  EXPECT_THAT(run(1305, "GPU-b").reasons, IsEmpty());
  EXPECT_EQ(run(1305, "GPU-a").verdict, Verdict::kSuspect);
}

TEST_F(JudgeClocks, OnlyValidResultsCountAndTheNewestTenOfThem) {
  for (int i = 0; i < 3; ++i) run(900, "GPU-a", Verdict::kSuspect);
  EXPECT_THAT(run(1500).reasons, IsEmpty());
  for (int i = 0; i < 4; ++i) run(1500);
  for (int i = 0; i < 10; ++i) run(1700);
  EXPECT_THAT(run(1520).reasons,
              ElementsAre(HasSubstr("at 1700 MHz in the 10 valid results of this trial before")));
}

}  // namespace
}  // namespace sweepd
