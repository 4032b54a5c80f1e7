// Tests how a watched sweep is drawn: literal states in, literal lines out.
#include "runner/client/watch/progress_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/base/text.h"

namespace sweepd {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

rpc::Progress progress(int total, int ended, int oom) {
  rpc::Progress progress;
  progress.counts.total = total;
  progress.counts.ended = ended;
  progress.counts.by_outcome[static_cast<std::size_t>(Outcome::kOom)] = oom;
  RunningAttempt& run = progress.running.emplace_back();
  run.label = "model=xl";
  run.pass = Pass::kTiming;
  run.phase = "forward";
  run.step = 3;
  run.elapsed = milliseconds(61'500);
  progress.left = seconds(380);
  return progress;
}

TEST(LiveLines, ABarThenWhatRuns) {
  const ProgressView view = progress_view("lm", progress(8, 2, 1));
  EXPECT_THAT(live_lines(view, {60, 24, Colour::kNo}, seconds(2)),
              ElementsAre("lm ━━━━━╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌ 2/8  25%, 1 oom, about 6m 18s left",
                          "  1m 03s  model=xl  timing, step 3 forward"));
}

TEST(LiveLines, SayThatTheSweepIsPaused) {
  rpc::Progress paused = progress(8, 2, 1);
  paused.paused = true;
  paused.left.reset();
  const ProgressView view = progress_view("lm", paused);
  EXPECT_THAT(live_lines(view, {60, 24, Colour::kNo}, seconds(2)).front(),
              testing::EndsWith(" 2/8  25%, 1 oom, paused"));
  EXPECT_EQ(plain_line(view), "lm: 2/8 ended, 1 oom, paused");
  EXPECT_EQ(pause_line("lm\x1b", Pause::kBegins),
            "! lm  is paused: nothing new starts until sweepctl resume");
  EXPECT_EQ(pause_line("lm", Pause::kEnds), "lm continues");
  EXPECT_EQ(paused_devices_line({"cpu", "cuda:1"}),
            "! cpu, cuda:1 are paused: nothing new starts on them until sweepctl resume --device "
            "cpu,cuda:1");
}

TEST(ProgressLines, AJournalThatIsStillReadKeepsNothingFromStarting) {
  EXPECT_EQ(trouble_line("the journal of attempt 3f9c takes longer than 5.0 s to read"),
            "! the journal of attempt 3f9c takes longer than 5.0 s to read");
  EXPECT_EQ(trouble_line("pool `a`: away"), "! pool `a`: away; trying again");
  EXPECT_EQ(trouble_line("full"), "! nothing new starts: full; trying again");
}

TEST(ProgressLines, ADeviceOutOfServiceIsNotCalledPaused) {
  const rpc::OutOfServiceEntry first{"cuda:0", "uncorrectable ECC error", "1b2c3d4e5f6a7b8c", {}};
  const rpc::OutOfServiceEntry second{"cuda:1", "fallen off the bus", "2b2c3d4e5f6a7b8c", {}};
  EXPECT_THAT(
      service_lines({}, {first}),
      ElementsAre(
          AllOf(StartsWith("! cuda:0 is out of service: uncorrectable ECC error (attempt 1b2c3d4e"),
                EndsWith("nothing new starts on it; see sweepctl doctor"))));
  EXPECT_THAT(service_lines({first}, {first}), IsEmpty());
  EXPECT_THAT(service_lines({first}, {second}),
              ElementsAre(StartsWith("! cuda:1 is out of service"), "cuda:0 is in service again"));
}

TEST(LiveLines, ColoursTakeNoRoom) {
  const ProgressView view = progress_view("lm", progress(8, 2, 1));
  const auto plain = live_lines(view, {30, 24, Colour::kNo}, seconds(0));
  const auto coloured = live_lines(view, {30, 24, Colour::kYes}, seconds(0));
  ASSERT_EQ(plain.size(), coloured.size());
  for (std::size_t i = 0; i < plain.size(); ++i) {
    EXPECT_LE(display_width(plain[i]), 30U) << plain[i];
    EXPECT_EQ(visible_width(coloured[i]), display_width(plain[i])) << coloured[i];
    EXPECT_TRUE(coloured[i].ends_with("\x1b[0m")) << "a cut line must not colour what follows";
  }
}

// The parameters can be read in the file; the attempt's position is shown nowhere else.
TEST(LiveLines, WhatIsTooLongLosesParametersAndNeverStepAndPhase) {
  ProgressView view = progress_view("a-sweep-with-a-name-of-some-length", progress(8000, 2000, 1));
  view.running[0].label =
      "model=medium context=1024 precision=bf16 attention=flash optimizer=adamw_fused batch=16";
  const auto lines = live_lines(view, {80, 24, Colour::kNo}, seconds(2));
  for (const std::string& line : lines) EXPECT_LE(display_width(line), 80U) << line;
  EXPECT_THAT(lines, ElementsAre(testing::EndsWith("2,000/8,000  25%, 1 oom, about 6m 18s left"),
                                 testing::EndsWith("…  timing, step 3 forward")));
  EXPECT_THAT(lines[0], testing::StartsWith("a-sweep-with-a-name"));
  EXPECT_THAT(lines[1], testing::StartsWith("  1m 03s  model=medium context=1024"));
}

TEST(LiveLines, AsManyRunningAsTheScreenHasRoomFor) {
  ProgressView view = progress_view("lm", progress(100, 0, 0));
  view.running.assign(20, view.running.front());
  EXPECT_THAT(live_lines(view, {80, 24, Colour::kNo}, seconds(0)), SizeIs(1 + 8 + 1));
  EXPECT_EQ(live_lines(view, {80, 24, Colour::kNo}, seconds(0)).back(), "  12 more running");
  EXPECT_THAT(live_lines(view, {80, 7, Colour::kNo}, seconds(0)), SizeIs(1 + 3 + 1));
  EXPECT_THAT(live_lines(view, {80, 3, Colour::kNo}, seconds(0)), SizeIs(1));
}

TEST(LiveLines, MoreIsNeverPromisedThanWasDone) {
  // 99.9 % is not 100 %.
  const ProgressView view = progress_view("lm", progress(1000, 999, 0));
  EXPECT_THAT(live_lines(view, {60, 24, Colour::kNo}, seconds(0)).front(),
              testing::HasSubstr("999/1,000  99%"));
}

TEST(LiveLines, AnEmptySweepAndAnAttemptBeforeItsFirstStep) {
  ProgressView view;
  view.name = "none";
  EXPECT_THAT(live_lines(view, {15, 24, Colour::kNo}, seconds(0)), ElementsAre("none ╌╌╌╌╌ 0/0…"));
  RunningAttempt& run = view.running.emplace_back();
  run.pass = Pass::kMemory;
  run.phase = "setup";
  run.elapsed = milliseconds(400);
  EXPECT_EQ(live_lines(view, {60, 24, Colour::kNo}, seconds(0)).at(1),
            "      0s  (defaults)  memory, setup");
}

TEST(PlainLine, SaysTheCountsInWords) {
  EXPECT_EQ(plain_line(progress_view("lm", progress(70, 34, 2))),
            "lm: 34/70 ended, 2 oom, about 6m 20s left");
  rpc::Progress unknown = progress(70, 0, 0);
  unknown.left.reset();
  EXPECT_EQ(plain_line(progress_view("lm", unknown)), "lm: 0/70 ended");
}

TEST(ProblemLine, NamesOutcomeTrialReasonAndAttemptOnOneLine) {
  EndedAttempt ended;
  ended.outcome = Outcome::kFailed;
  ended.label = "model=xl";
  ended.detail = "two\nlines \x1b[2J";
  ended.id = "3f9c2a7be01d4455";
  EXPECT_EQ(problem_line(ended, Colour::kNo),
            "failed model=xl: two lines  [2J (timing pass, attempt 3f9c2a7b)");
}

TEST(CutTo, CountsColumnsNotBytes) {
  struct Case {
    const char* text;
    std::size_t width;
    const char* cut;
  };
  for (const Case& c : {Case{"abc", 3, "abc"}, Case{"abcd", 3, "ab…"}, Case{"ü±é∞", 3, "ü±…"},
                        Case{"模型大小", 5, "模型…"}, Case{"模型大小", 4, "模…"},
                        Case{"abc", 1, "…"}, Case{"abc", 0, ""}, Case{"", 0, ""},
                        Case{"a3\x1b[32mbcd\x1b[0m", 3, "a3\x1b[32m…\x1b[0m"}}) {
    EXPECT_EQ(cut_to(c.text, c.width), c.cut) << c.text << " " << c.width;
  }
}

TEST(EraseLines, CountsTheRowsThatANarrowerScreenMadeOfThem) {
  EXPECT_EQ(erase_lines({}, 80), "");
  EXPECT_EQ(erase_lines({80, 20}, 80), "\x1b[2A\r\x1b[J");
  EXPECT_EQ(erase_lines({80, 20}, 40), "\x1b[3A\r\x1b[J");
  EXPECT_EQ(erase_lines({81, 0}, 40), "\x1b[4A\r\x1b[J");
}

}  // namespace
}  // namespace sweepd
