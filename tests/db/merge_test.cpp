// Merges two machines' databases into one.
#include "tests/db/merge_fixture.h"

namespace sweepd {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST_F(MergeTest, BringsTheResultsAndKeepsTheirHost) {
  measure(ours_, "here", {{{"model", "small"}}}, 10);
  measure(theirs_, "there", {{{"model", "small"}}, {{"model", "large"}}}, 20);
  const MergeReceipt receipt = merged(ours_, theirs_);
  EXPECT_EQ(receipt.sweeps.brought, 1);
  EXPECT_EQ(receipt.trials.brought, 1);
  EXPECT_EQ(receipt.trials.present, 1) << "`small` was measured here too";
  EXPECT_EQ(receipt.attempts.brought, 2);
  EXPECT_EQ(receipt.samples, 2 * 9);
  EXPECT_THAT(receipt.hosts, ElementsAre("beta"));
  EXPECT_THAT(rows(ours_.file, "select model, host, median from toy where phase = 'forward'"),
              ElementsAre("large|beta|21.0", "small|alpha|10.0", "small|beta|20.0"));
}

TEST_F(MergeTest, AnEmptyDatabaseBecomesTheOther) {
  measure(theirs_, "there", {{{"model", "small"}}, {{"model", "large"}}});
  DeviceInfo device = cpu();
  ASSERT_TRUE(theirs_.store->record_peak(device, "fp32", {2e12, 0}, {}, 1));
  ASSERT_TRUE(theirs_.store->record_peak(device, "fp32", {1e12, 5e10}, {}, 2));
  merged(ours_, theirs_);
  Lines expected = everything(theirs_);
  expected.insert(expected.begin() + 1, "id-of-alpha|alpha");  // our own host
  EXPECT_EQ(everything(ours_), expected);
}

TEST_F(MergeTest, TwiceAddsNothing) {
  measure(ours_, "here", {{{"model", "small"}}});
  measure(theirs_, "there", {{{"model", "small"}}, {{"model", "large"}}});
  merged(ours_, theirs_);
  const Lines once = everything(ours_);
  const MergeReceipt again = merged(ours_, theirs_);
  EXPECT_EQ(again.sweeps.brought + again.trials.brought + again.attempts.brought + again.samples,
            0);
  EXPECT_EQ(again.sweeps.present, 1);
  EXPECT_EQ(again.attempts.present, 2);
  EXPECT_THAT(again.hosts, IsEmpty());
  EXPECT_EQ(everything(ours_), once);
}

// Both end with the same results, for any measurements before.
TEST_F(MergeTest, BothWaysAreEqual) {
  const std::vector<std::string> models{"small", "large", "xl"};
  for (unsigned seed = 0; seed < 6; ++seed) {
    std::mt19937 random(seed);
    Site a = site("a" + std::to_string(seed));
    Site b = site("b" + std::to_string(seed));
    for (int i = 0; i < 8; ++i) {
      Site& site = random() % 2 == 0 ? a : b;
      std::vector<Settings> points;
      for (const std::string& model : models) {
        if (random() % 2 == 0) points.push_back({{"model", model}});
      }
      if (points.empty()) points.push_back({{"context", std::to_string(1 + random() % 3)}});
      measure(site, "s" + std::to_string(i), points, 1 + i, WallTime{1'000 + i});
      if (random() % 3 == 0) merged(a, b);
      if (random() % 3 == 0) merged(b, a);
    }
    merged(a, b);
    merged(b, a);
    EXPECT_EQ(everything(a), everything(b)) << "seed " << seed;
  }
}

TEST_F(MergeTest, WhatWaitsOrRunsThereStaysThere) {
  const NewSweep request = sweep("open", {{{"model", "small"}}, {{"model", "large"}}});
  const auto receipt = theirs_.store->submit(request, def());
  ASSERT_TRUE(theirs_.store->finish(done(receipt->queued[0].row, 3, 4)).value());
  EXPECT_EQ(merged(ours_, theirs_).open, 1);
  EXPECT_THAT(rows(ours_.file, "select count(*) from attempt"), ElementsAre("1"));
  ASSERT_TRUE(theirs_.store->finish(done(receipt->queued[1].row, 5, 6)).value());
  EXPECT_EQ(merged(ours_, theirs_).attempts.brought, 1);
  EXPECT_THAT(rows(ours_.file, "select sweep, outcome from sweep_trials"),
              ElementsAre("open|done", "open|done"));
}

TEST_F(MergeTest, WhatIsSubmittedLaterComesBehindWhatWasMerged) {
  measure(ours_, "here", {{{"model", "small"}}});
  measure(theirs_, "there", {{{"model", "small"}}, {{"model", "large"}}, {{"model", "xl"}}});
  merged(ours_, theirs_);
  ASSERT_TRUE(ours_.store->submit(sweep("later", {{{"context", "7"}}}), def()));
  EXPECT_THAT(rows(ours_.file, "select outcome from attempt order by position desc limit 1"),
              ElementsAre(""));
}

TEST_F(MergeTest, ARetryThereReplacesTheAnswerHere) {
  const NewSweep request = sweep("again", {{{"model", "small"}}});
  const auto first = theirs_.store->submit(request, def());
  ASSERT_TRUE(theirs_.store->finish(ended(first->queued[0].row, {Failed{"no luck", ""}, 0})));
  merged(ours_, theirs_);
  const auto second = theirs_.store->retry_sweep(request.id, {}, WallTime{6'000'000'000});
  ASSERT_TRUE(second);
  ASSERT_TRUE(theirs_.store->finish(done(second->queued[0].row, 3, 4, WallTime{7'000'000'000})));
  merged(ours_, theirs_);
  EXPECT_THAT(rows(ours_.file, "select outcome from sweep_trials"), ElementsAre("done"));
  EXPECT_THAT(rows(ours_.file, "select is_current, outcome from attempts"),
              ElementsAre("0|failed", "1|done"));
}

TEST_F(MergeTest, CutOffAndDoneAgainIsWhole) {
  std::vector<Settings> points;
  for (int i = 1; i <= 300; ++i) points.push_back({{"context", std::to_string(i)}});
  measure(theirs_, "many", points);
  for (int steps = 0; steps < 6; ++steps) {
    Site here = site("cut" + std::to_string(steps));
    ASSERT_TRUE(merge(here, theirs_.file, steps));
    EXPECT_THAT(rows(here.file, "pragma foreign_key_check"), IsEmpty());
    merged(here, theirs_);
    EXPECT_THAT(rows(here.file, "select count(*), sum(is_current) from attempt"),
                ElementsAre("300|300"));
    EXPECT_THAT(rows(here.file, "select count(*) from sweep_trials"), ElementsAre("300"));
    EXPECT_THAT(rows(here.file, "select count(*) from sample"), ElementsAre("2700"));
  }
}

TEST_F(MergeTest, ThePreviewSaysWhatTheMergeDoes) {
  measure(ours_, "here", {{{"model", "small"}}});
  measure(theirs_, "there", {{{"model", "small"}}, {{"model", "large"}}});
  auto copy = DatabaseCopy::make(theirs_.file, folder_, catalog_);
  ASSERT_TRUE(copy);
  const Lines before = everything(ours_);
  const auto preview = preview_merge(ours_.file, copy->file());
  ASSERT_TRUE(preview) << preview.error().message;
  EXPECT_EQ(everything(ours_), before);
  const MergeReceipt real = merged(ours_, theirs_);
  const auto flat = [](const MergeReceipt& r) {
    return std::vector<std::int64_t>{
        r.sweeps.brought,   r.sweeps.present,   r.trials.brought, r.trials.present,
        r.attempts.brought, r.attempts.present, r.samples,        r.open};
  };
  EXPECT_EQ(flat(*preview), flat(real));
  EXPECT_EQ(preview->hosts, real.hosts);
}

// Its attempts wait there, and it is their device.
TEST_F(MergeTest, PausesStayWhereTheyAre) {
  measure(theirs_, "measured", {{{"context", "1"}}});
  const NewSweep waits = sweep("waits", {{{"context", "2"}}});
  ASSERT_TRUE(theirs_.store->submit(waits, def()));
  ASSERT_TRUE(theirs_.store->pause_sweeps({waits.id}, WallTime{7}));
  ASSERT_TRUE(theirs_.store->take_out_of_service(cpu(), WallTime{7}, "broken", "0123"));
  merged(ours_, theirs_);
  EXPECT_THAT(rows(ours_.file, "select name, paused_ns from sweep"),
              testing::ElementsAre("measured|", "waits|"));
  EXPECT_THAT(rows(ours_.file,
                   "select count(*), count(paused_ns), count(fault), "
                   "count(fault_attempt) from device"),
              testing::ElementsAre("1|0|0|0"));
}

// Otherwise a foreign database could run commands here.
TEST_F(MergeTest, CommandsAreNotMerged) {
  NewSweep request = sweep("s", {{{"context", "1"}}});
  request.notify = "touch here";
  const auto receipt = theirs_.store->submit(request, def());
  ASSERT_TRUE(receipt);
  ASSERT_TRUE(theirs_.store->finish(done(receipt->queued.at(0).row, 1, 1)));
  EXPECT_EQ(merged(ours_, theirs_).sweeps.brought, 1);
  EXPECT_THAT(rows(ours_.file, "select count(*) from notification"), testing::ElementsAre("0"));
}

}  // namespace
}  // namespace sweepd
