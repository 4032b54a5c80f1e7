// Tests that the noise of equal runs is stored once for each trial, host and device.
#include "tests/db/fixture.h"

namespace sweepd {
namespace {

class NoiseFloorTest : public DbTest {
 protected:
  AttemptId attempt_of(const SubmitReceipt& receipt, std::size_t i) {
    finish(done(receipt.queued.at(i).row, 10, 20));
    return receipt.queued.at(i).id;
  }
  void record(const AttemptId& attempt, double p95) {
    NoiseFloor floor;
    floor.attempt = attempt;
    floor.measured = WallTime{seconds(7).ns};
    floor.processes = 100;
    floor.spread = 0.01;
    floor.a_side = 8;
    floor.pairs = 85;
    floor.median_difference = 0.004;
    floor.p95_difference = p95;
    floor.false_alarms = 1;
    floor.found = 84;
    floor.slowdown = 0.05;
    floor.enough = true;
    const auto recorded = store_->record_noise({floor});
    ASSERT_TRUE(recorded) << recorded.error().message;
  }
  std::vector<NoiseFloor> floors(const std::vector<std::string>& hosts = {}) {
    const auto found = reader_->noise_floors("toy", hosts);
    EXPECT_TRUE(found) << found.error().message;
    return found ? *found : std::vector<NoiseFloor>{};
  }
};

TEST_F(NoiseFloorTest, TheNewestOfATrialReplacesItsPredecessor) {
  const SubmitReceipt receipt = submit(sweep("s", {{{"model", "small"}}, {{"model", "xl"}}}));
  const AttemptId first = attempt_of(receipt, 0), second = attempt_of(receipt, 1);
  record(first, 0.02);
  record(second, 0.03);
  record(first, 0.01);
  const auto all = floors();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].p95_difference, 0.01);
  EXPECT_EQ(all[1].p95_difference, 0.03);
  EXPECT_EQ(all[0].processes, 100);
  EXPECT_EQ(all[0].a_side, 8);
  EXPECT_EQ(all[0].pairs, 85);
  EXPECT_EQ(all[0].false_alarms, 1);
  EXPECT_EQ(all[0].found, 84);
  EXPECT_EQ(all[0].slowdown, 0.05);
  EXPECT_TRUE(all[0].enough);
  EXPECT_EQ(all[0].measured.ns, seconds(7).ns);
  EXPECT_NE(all[0].label, all[1].label);
}

TEST_F(NoiseFloorTest, IsThatOfTheHostsAsked) {
  const SubmitReceipt receipt = submit(sweep("s", {{}}));
  record(attempt_of(receipt, 0), 0.02);
  const auto all = floors();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(floors({all[0].hostname}).size(), 1U);
  EXPECT_EQ(floors({"other"}).size(), 0U);
  EXPECT_EQ(reader_->noise_floors("none", {})->size(), 0U);
}

TEST_F(NoiseFloorTest, AnUnknownAttemptStoresNothing) {
  record("0123", 0.02);
  EXPECT_TRUE(floors().empty());
}

}  // namespace
}  // namespace sweepd
