#include "runner/daemon/attempts/gang.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/daemon/attempt_files.h"
#include "tests/worker/temp_folder.h"

namespace sweepd {
namespace {

using ::testing::ElementsAre;

class GangTest : public ::testing::Test {
 protected:
  void failed(int rank, const std::string& note) {
    write_phase(attempt_, rank, "step", note);
    write_events(attempt_, rank, {end({Failed{"closed", "step"}, rank})});
  }
  void silent(int rank, const std::string& note) { write_phase(attempt_, rank, "step", note); }
  std::string facts_of(const AttemptRecord& record) {
    std::string text;
    for (const auto& fact : record.facts) {
      text += std::to_string(fact.rank) + " " + fact.name + "=" + fact.text + "; ";
    }
    return text;
  }

  TempFolder folder_;
  AttemptFolder attempt_{folder_.path() / "attempt"};
};

TEST_F(GangTest, OnlyAFailureInsideACollectiveMayBeAnothersDoing) {
  failed(0, "all_reduce 2");
  failed(1, "all_reduce 2 left");
  silent(2, "all_reduce 2");
  EXPECT_TRUE(failed_in_collective(attempt_, 0));
  EXPECT_FALSE(failed_in_collective(attempt_, 1));
  EXPECT_FALSE(failed_in_collective(attempt_, 2));
}

TEST_F(GangTest, ReasonsOfTheirOwnComeFirstInTheOrderOfTheEnds) {
  failed(0, "all_reduce 2");
  write_events(attempt_, 1, {end({Done{"fixed_steps"}, 1})});
  silent(2, "all_reduce 2");
  failed(3, "");
  std::vector<EndedRank> ended{{0, {}}, {1, {}}, {3, {}}, {2, {}}};
  EXPECT_TRUE(put_own_reasons_first(attempt_, ended));
  std::vector<int> order;
  for (const EndedRank& rank : ended) order.push_back(rank.rank);
  EXPECT_THAT(order, ElementsAre(3, 2, 0, 1));
  std::vector<EndedRank> others{{0, {}}, {1, {}}};
  EXPECT_FALSE(put_own_reasons_first(attempt_, others));
}

TEST_F(GangTest, ATimeoutNamesWhoWasWaitedForWhateverTheOthersSay) {
  silent(0, "all_reduce 7");
  failed(1, "all_reduce 7");
  silent(2, "barrier 6 left");
  const Hang hang = hang_now(attempt_, 3, {});
  for (const Ending& decided :
       {Ending{Timeout{seconds(5), "step"}, 0}, Ending{Failed{"closed", "step"}, 1}}) {
    AttemptRecord record;
    record.ending = decided;
    tell_of_gang(record, attempt_, hang, seconds(5));
    EXPECT_EQ(describe(record.ending),
              "rank 2: took longer than 5s, in step: the others waited for rank 2 in all_reduce 7");
    EXPECT_EQ(facts_of(record), "2 waited_for=2; 2 collective=all_reduce 7; ");
  }
}

TEST_F(GangTest, AStoppedRankIsWaitedForWhereItStopped) {
  silent(0, "all_reduce 7");
  silent(1, "all_reduce 7");
  AttemptRecord record;
  record.ending = {Timeout{seconds(5), "step"}, 0};
  tell_of_gang(record, attempt_, hang_now(attempt_, 2, {1}), seconds(5));
  EXPECT_EQ(describe(record.ending),
            "rank 1: took longer than 5s, in step: the others waited for rank 1 in all_reduce 7");
  record = {};
  record.ending = {Timeout{seconds(5), "step"}, 0};
  tell_of_gang(record, attempt_, hang_now(attempt_, 2, {}), seconds(5));
  EXPECT_EQ(describe(record.ending), "took longer than 5s, in step, in all_reduce 7");
}

TEST_F(GangTest, ADeathSaysInWhichCollective) {
  silent(1, "all_gather 3");
  AttemptRecord record;
  record.ending = {Crashed{9, std::nullopt, "step"}, 1};
  tell_of_gang(record, attempt_, std::nullopt, seconds(5));
  EXPECT_EQ(describe(record.ending), "rank 1: killed by SIGKILL (9), in step, in all_gather 3");
  EXPECT_EQ(facts_of(record), "1 collective=all_gather 3; ");
  silent(1, "all_gather 3 left");
  record = {};
  record.ending = {Crashed{9, std::nullopt, "step"}, 1};
  tell_of_gang(record, attempt_, std::nullopt, seconds(5));
  EXPECT_EQ(describe(record.ending), "rank 1: killed by SIGKILL (9), in step");
  EXPECT_EQ(facts_of(record), "");
}

TEST_F(GangTest, WhatEndedWellOrWasCancelledStaysAsItIs) {
  silent(0, "all_reduce 7");
  for (const Ending& decided : {Ending{Done{"fixed_steps"}, 0}, Ending{Cancelled{"asked"}, 0},
                                Ending{Skipped{"no GPU"}, 0}}) {
    AttemptRecord record;
    record.ending = decided;
    tell_of_gang(record, attempt_, Hang{"all_reduce 7", {}}, seconds(5));
    EXPECT_EQ(outcome_of(record.ending), outcome_of(decided));
    EXPECT_EQ(describe(record.ending), describe(decided));
  }
}

}  // namespace
}  // namespace sweepd
