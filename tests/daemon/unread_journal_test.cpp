// A journal that exists but cannot be read when its attempt ends.
#include <gmock/gmock.h>

#include <future>

#include "tests/daemon/dispatcher_story.h"
#include "tests/modes_hold.h"

namespace sweepd {
namespace {

using std::filesystem::perms;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class UnreadJournal : public DispatcherStory {
 protected:
  UnreadJournal() { timing_.read_retry = timing_.read_retry_most = milliseconds(5); }
  void allow(const OpenAttempt& attempt, perms modes) const {
    std::filesystem::permissions(folder_of(attempt).events(0), modes);
  }
  // Its rank reports that it is done, but the journal cannot be read.
  void finish_unread(const OpenAttempt& attempt) {
    write_events(folder_of(attempt), 0, {step(0, 2.5), end_event({Done{"fixed_steps"}, 0})});
    allow(attempt, perms::none);
    executor_.end(0, {std::nullopt, 0});
  }
  // The first of two has ended so, and the second has got its cores.
  std::vector<OpenAttempt> two() {
    auto queued = enqueue({{{"model", "large"}}, {{"model", "xl"}}});
    EXPECT_TRUE(until_started(1));
    finish_unread(queued[0]);
    EXPECT_TRUE(until_started(2));
    EXPECT_EQ(stored(queued[0]), "running");
    return queued;
  }

  ModesHold modes_hold_;  // before the threads of the fixture
};

TEST_F(UnreadJournal, IsReadAgainUntilItCanBeRead) {
  const auto queued = two();
  finish_well(queued[1]);
  ASSERT_TRUE(until_ended(1));
  EXPECT_EQ(ended_[0].id, queued[1].id);
  EXPECT_EQ(stored(queued[0]), "running");
  EXPECT_THAT(dispatcher_->trouble(),
              AllOf(StartsWith("the journal of an attempt that has ended is "
                               "read again: cannot read `"),
                    EndsWith("Permission denied")));
  allow(queued[0], perms::owner_read);
  ASSERT_TRUE(until_ended(2));
  EXPECT_EQ(dispatcher_->trouble(), "");
  EXPECT_EQ(stored(queued[0]), "done");
  EXPECT_EQ(samples(queued[0]), 1);
}

TEST_F(UnreadJournal, IsAFailureThatNamesItAfterTenMinutes) {
  EXPECT_EQ(timing_.read_patience, seconds(600));
  timing_.read_patience = milliseconds(30);
  restart();
  const auto queued = enqueue({{}});
  ASSERT_TRUE(until_started(1));
  finish_unread(queued[0]);
  ASSERT_TRUE(until_ended(1));
  EXPECT_EQ(stored(queued[0]), "failed");
  EXPECT_THAT(detail(queued[0]), AllOf(HasSubstr("cannot read `"), HasSubstr("events.0.ndjson`: "
                                                                             "Permission denied")));
}

TEST_F(UnreadJournal, IsReadByTheNextDaemonToo) {
  const auto queued = two();
  dispatcher_->drain();
  finish_well(queued[1]);
  ASSERT_TRUE(until([&] { return drained_; })) << "a daemon that ends does not wait for it";
  write_text(folder_of(queued[0]).pid(0), "taken\n");
  restart();
  ASSERT_TRUE(dispatcher_->recover());
  settle();
  EXPECT_EQ(stored(queued[0]), "running");
  allow(queued[0], perms::owner_read);
  ASSERT_TRUE(until([&] { return stored(queued[0]) == "done"; }));
  EXPECT_EQ(samples(queued[0]), 1);
}

TEST_F(UnreadJournal, OfACancelledAttemptLeavesItCancelled) {
  timing_.read_patience = milliseconds(30);
  restart();
  const auto queued = enqueue({{}});
  ASSERT_TRUE(until_started(1));
  dispatcher_->stop({queued[0].row});
  ASSERT_TRUE(until([&] { return !executor_.signals.empty(); }));
  write_events(folder_of(queued[0]), 0, {step(0, 2.5)});
  allow(queued[0], perms::none);
  executor_.end(0, {SIGTERM, std::nullopt});
  ASSERT_TRUE(until_ended(1));
  EXPECT_EQ(stored(queued[0]), "cancelled");
}

// The thread that reads journals is busy with something else, as with a very long one.
TEST_F(UnreadJournal, ThatTakesLongToReadDoesNotStopTheQueue) {
  timing_.long_read = milliseconds(5);
  restart();
  const auto queued = enqueue({{{"model", "large"}}, {{"model", "xl"}}});
  ASSERT_TRUE(until_started(1));
  std::promise<void> read;
  dispatcher_->folder_of(0).read([done = read.get_future().share()] { done.wait(); }, [] {});
  finish_well(queued[0]);
  ASSERT_TRUE(until_started(2));
  EXPECT_EQ(stored(queued[0]), "running");
  EXPECT_EQ(dispatcher_->trouble(), "the journal of attempt " + queued[0].id +
                                        " takes longer than 5.0 ms to read; its cores and GPUs "
                                        "are free");
  read.set_value();
  ASSERT_TRUE(until_ended(1));
  EXPECT_EQ(dispatcher_->trouble(), "");
  finish_well(queued[1]);
  ASSERT_TRUE(until_ended(2));
  EXPECT_EQ(samples(queued[0]), 1);
}

}  // namespace
}  // namespace sweepd
