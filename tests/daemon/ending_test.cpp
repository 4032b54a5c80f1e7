#include "runner/daemon/attempts/ending.h"

#include <gtest/gtest.h>

namespace sweepd {
namespace {

constexpr Duration kTimeout = seconds(30);
constexpr auto kNoStop = std::nullopt;

Ending done() {
  return {Done{"fixed_steps"}, 0};
}

RankEvidence said(int rank, Ending ending, ExitStatus exit = {std::nullopt, 0}) {
  return {rank, std::move(ending), exit, "optimizer", ""};
}
RankEvidence silent(int rank, ExitStatus exit, const std::string& exit_message = "") {
  return {rank, std::nullopt, exit, "backward", exit_message};
}

ExitStatus by_signal(int signal) {
  return {signal, std::nullopt};
}
ExitStatus by_code(int code) {
  return {std::nullopt, code};
}

// Returns "crashed by rank 1: killed by signal 9 ...", to compare all of it at once.
std::string told(const std::vector<RankEvidence>& ranks, std::optional<StopReason> stop) {
  const Ending ending = decide_ending(ranks, stop, kTimeout);
  return std::string(name_of(outcome_of(ending))) + " by rank " + std::to_string(ending.rank) +
         ": " + describe(ending);
}

TEST(DecideEnding, NoRanksIsAFailureNotAHole) {
  const Ending ending = decide_ending({}, kNoStop, kTimeout);
  ASSERT_EQ(outcome_of(ending), Outcome::kFailed);
  EXPECT_EQ(std::get<Failed>(ending.detail).message, "no rank was started");
}

TEST(DecideEnding, AllDoneTakesTheWordOfTheLowestRank) {
  const Ending ending = decide_ending(
      {said(1, {Done{"max_time"}, 1}), said(0, {Done{"relative_error"}, 0})}, kNoStop, kTimeout);
  ASSERT_EQ(outcome_of(ending), Outcome::kDone);
  EXPECT_EQ(ending.rank, 0);
  EXPECT_EQ(std::get<Done>(ending.detail).stop_reason, "relative_error");
}

TEST(DecideEnding, AnOrderThatCameTooLateDoesNotUndoWhatIsDone) {
  for (const StopReason stop : {StopReason::kCancelled, StopReason::kTimeout}) {
    EXPECT_EQ(outcome_of(decide_ending({said(0, done())}, stop, kTimeout)), Outcome::kDone);
    // It wrote `done` and was then killed while it cleaned up.
    EXPECT_EQ(outcome_of(decide_ending({said(0, done(), by_signal(9))}, stop, kTimeout)),
              Outcome::kDone);
  }
}

TEST(DecideEnding, CancelledWinsOverWhateverTheRanksSayOfTheirDeath) {
  const Ending failed{Failed{"interrupted", "forward"}, 0};
  for (const RankEvidence& rank : {said(0, failed), silent(0, by_signal(15)), silent(0, {})}) {
    EXPECT_EQ(told({rank}, StopReason::kCancelled),
              "cancelled by rank 0: " + describe({Cancelled{"cancelled while running"}, 0}));
  }
}

TEST(DecideEnding, ATimeoutCarriesItsLimitAndTheLastPhase) {
  const Ending ending = decide_ending({silent(2, by_signal(9))}, StopReason::kTimeout, kTimeout);
  ASSERT_EQ(outcome_of(ending), Outcome::kTimeout);
  EXPECT_EQ(std::get<Timeout>(ending.detail).limit, seconds(30));
  EXPECT_EQ(std::get<Timeout>(ending.detail).phase, "backward");
  EXPECT_EQ(ending.rank, 2);
}

TEST(DecideEnding, WhatARankSaidStandsAlsoWhenTheTimeWasUp) {
  const Ending oom{Oom{1_GiB, 3_GiB, 4_GiB, "forward"}, 0};
  EXPECT_EQ(told({said(0, oom)}, StopReason::kTimeout), "oom by rank 0: " + describe(oom));
}

TEST(DecideEnding, ARanksOwnWordIsTakenWhole) {
  const Ending endings[] = {{Oom{1_GiB, 3_GiB, 4_GiB, "forward"}, 0},
                            {Failed{"no such model", "setup"}, 0},
                            {Skipped{"needs a GPU"}, 0},
                            {Cancelled{"SIGTERM"}, 0}};
  for (const Ending& ending : endings) {
    Ending of_rank_3 = ending;  // the rank of the file counts, not the number inside the event
    of_rank_3.rank = 3;
    EXPECT_EQ(told({said(3, ending)}, kNoStop),
              std::string(name_of(outcome_of(ending))) + " by rank 3: " + describe(of_rank_3));
  }
}

TEST(DecideEnding, TheFirstThatDidNotEndWellDecides) {
  const RankEvidence well = said(0, done());
  const RankEvidence oom = said(2, {Oom{1_GiB, 0_GiB, 0_GiB, "forward"}, 2});
  const RankEvidence killed = silent(1, by_signal(9));  // killed by us because of rank 2's death
  EXPECT_EQ(told({well, oom, killed}, kNoStop).substr(0, 13), "oom by rank 2");
  EXPECT_EQ(told({killed, oom, well}, kNoStop).substr(0, 17), "crashed by rank 1");
}

TEST(DecideEnding, ASilentRankCrashed) {
  const struct {
    ExitStatus exit;
    std::optional<int> signal, code;
  } cases[] = {
      {by_signal(11), 11, std::nullopt},
      {by_code(3), std::nullopt, 3},
      {by_code(0), std::nullopt, 0},     // ended without an event: not done
      {{}, std::nullopt, std::nullopt},  // adopted: its status is unknown
  };
  for (const auto& c : cases) {
    const Ending ending = decide_ending({silent(1, c.exit)}, kNoStop, kTimeout);
    ASSERT_EQ(outcome_of(ending), Outcome::kCrashed);
    EXPECT_EQ(std::get<Crashed>(ending.detail).signal, c.signal);
    EXPECT_EQ(std::get<Crashed>(ending.detail).exit_code, c.code);
    EXPECT_EQ(std::get<Crashed>(ending.detail).phase, "backward");
    EXPECT_EQ(ending.rank, 1);
  }
}

TEST(DecideEnding, ALostJournalIsAFailureInTheLogsLastWords) {
  const std::string words = "events.0.ndjson: No space left on device";
  const Ending ending = decide_ending({silent(0, by_code(74), words)}, kNoStop, kTimeout);
  ASSERT_EQ(outcome_of(ending), Outcome::kFailed);
  EXPECT_EQ(std::get<Failed>(ending.detail).message, words);
  EXPECT_EQ(std::get<Failed>(ending.detail).phase, "backward");
}

TEST(DecideEnding, ALostJournalBesideALostLogStillHasAReason) {
  const Ending ending = decide_ending({silent(0, by_code(74))}, kNoStop, kTimeout);
  EXPECT_EQ(std::get<Failed>(ending.detail).message,
            "it could not write its journal (a full disk?), nor its log");
}

}  // namespace
}  // namespace sweepd
