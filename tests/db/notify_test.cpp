// Tests when the command of a sweep is due, and that it is due once.
#include "runner/model/attempt/notification.h"

#include "db/store/store.h"
#include "tests/db/fixture.h"

namespace sweepd {
namespace {

using testing::HasSubstr;

class NotifyStore : public DbTest {
 protected:
  NewSweep with_command(const std::string& name, const std::vector<Settings>& points) const {
    NewSweep request = sweep(name, points);
    request.notify = "mail me";
    return request;
  }
  std::optional<EndedSweep> due() {
    auto begun = store_->begin_notification(WallTime{8'000'000'000});
    EXPECT_TRUE(begun) << begun.error().message;
    return begun ? *begun : std::nullopt;
  }
  Notification shown(const NewSweep& request) {
    const auto found = reader_->notification_of(request.id);
    EXPECT_TRUE(found && *found);
    return found && *found ? **found : Notification{};
  }
};

TEST_F(NotifyStore, DueOnceWhenTheLastAttemptHasEnded) {
  const auto request = with_command("s", {{{"context", "1"}}, {{"context", "2"}}});
  const auto queued = submit(request).queued;
  EXPECT_TRUE(store_->owes_notifications().value());
  finish(done(queued[0].row, 1, 1));
  EXPECT_FALSE(due());
  finish(ended(queued[1].row, {Oom{}, 0}, WallTime{7'000'000'000}));
  const auto sweep = due();
  ASSERT_TRUE(sweep);
  EXPECT_EQ(sweep->id, request.id);
  EXPECT_EQ(sweep->name, "s");
  EXPECT_EQ(sweep->command, "mail me");
  EXPECT_EQ(sweep->attempts(), 2);
  EXPECT_EQ(sweep->by_outcome[static_cast<std::size_t>(Outcome::kOom)], 1);
  EXPECT_EQ(sweep->submitted, WallTime{1'000'000'000});
  EXPECT_EQ(sweep->ended, WallTime{7'000'000'000});
  EXPECT_FALSE(due());
  reopen();
  EXPECT_FALSE(due()) << "nor for the next daemon";
  EXPECT_FALSE(store_->owes_notifications().value());
  EXPECT_EQ(shown(request).begun, WallTime{8'000'000'000});
  EXPECT_FALSE(shown(request).ended);
  ASSERT_TRUE(store_->end_notification(request.id, WallTime{9}, "exit status 3"));
  EXPECT_EQ(shown(request).ended, WallTime{9});
  EXPECT_EQ(shown(request).problem, "exit status 3");
}

TEST_F(NotifyStore, NotDueWhileTheSweepIsPaused) {
  const auto request = with_command("s", {{{"context", "1"}}});
  const auto queued = submit(request).queued;
  ASSERT_TRUE(store_->pause_sweeps({request.id}, WallTime{7}));
  EXPECT_FALSE(due());
  ASSERT_TRUE(store_->resume_sweeps({request.id}));
  EXPECT_FALSE(due());
  finish(done(queued[0].row, 1, 1));
  EXPECT_TRUE(due());
}

TEST_F(NotifyStore, DueForWhatIsReusedCancelledOrRetried) {
  finish(done(submit(sweep("old", {{{"context", "1"}}})).queued[0].row, 1, 1));
  submit(with_command("reuses", {{{"context", "1"}}}));
  const auto reuses = due();
  ASSERT_TRUE(reuses);
  EXPECT_EQ(reuses->ended, reuses->submitted) << "nothing of it was measured";

  const auto request = with_command("s", {{{"context", "2"}}});
  submit(request);
  ASSERT_TRUE(store_->cancel_sweep(request.id, WallTime{9}));
  EXPECT_TRUE(due());
  ASSERT_TRUE(store_->end_notification(request.id, WallTime{9}, "exit status 3"));
  const auto retried = store_->retry_sweep(request.id, {}, WallTime{10});
  ASSERT_TRUE(retried);
  EXPECT_FALSE(due());
  // The one that ran before ends late.
  ASSERT_TRUE(store_->end_notification(request.id, WallTime{11}, "exit status 4"));
  EXPECT_EQ(shown(request).problem, "");
  EXPECT_FALSE(shown(request).ended);
  finish(done(retried->queued.at(0).row, 1, 1));
  EXPECT_TRUE(due()) << "it has ended once more";
  ASSERT_TRUE(store_->retry_sweep(request.id, {}, WallTime{11}));
  EXPECT_FALSE(due()) << "nothing was to be run again";
}

TEST_F(NotifyStore, ASweepWithoutOneHasNone) {
  const auto request = sweep("s", {{{"context", "1"}}});
  finish(done(submit(request).queued[0].row, 1, 1));
  EXPECT_FALSE(store_->owes_notifications().value());
  EXPECT_FALSE(due());
  EXPECT_FALSE(*reader_->notification_of(request.id));
}

TEST_F(NotifyStore, WhatADaemonDidNotSeeTheEndOfIsSaid) {
  const auto request = with_command("s", {{{"context", "1"}}});
  finish(done(submit(request).queued[0].row, 1, 1));
  ASSERT_TRUE(due());
  ASSERT_TRUE(store_->end_lost_notifications(WallTime{9}));
  EXPECT_THAT(shown(request).problem, HasSubstr("its outcome is unknown"));
  EXPECT_FALSE(due());
}

TEST_F(NotifyStore, GoesWithItsSweep) {
  const auto request = with_command("s", {{{"context", "1"}}});
  finish(done(submit(request).queued[0].row, 1, 1));
  ASSERT_TRUE(store_->delete_sweeps({request.id}, Store::Deletion::kForReal));
  EXPECT_THAT(sql("SELECT count(*) FROM notification"), testing::ElementsAre("0"));
}

}  // namespace
}  // namespace sweepd
