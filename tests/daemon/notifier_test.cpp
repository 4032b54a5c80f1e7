// Tests the commands that run when sweeps have ended: once each, with their input and every kind of
// end.
#include "runner/daemon/serving/notifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/daemon/dispatcher_story.h"

namespace sweepd {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class NotifierTest : public DispatcherStory {
 protected:
  void SetUp() override {
    DispatcherStory::SetUp();
    begin();
  }
  void TearDown() override {
    notifier_.reset();
    DispatcherStory::TearDown();
  }
  // A new daemon.
  void begin() {
    notifier_.reset();
    notifier_ = std::make_unique<Notifier>(*io_, *writer_, folder_, log(), limit_);
    ASSERT_TRUE(notifier_->recover());
  }
  std::filesystem::path log() const { return folder_ / "notify.log"; }
  std::string contents(const std::string& name) const {
    std::ifstream file(folder_ / name);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }
  // Stores a sweep of one attempt, queued.
  std::int64_t submit_with(const std::string& command, const std::string& context) {
    NewSweep request = sweep("s" + context, {{{"context", context}}});
    request.notify = command;
    sweep_ = request.id;
    return writer_->now([&](Store&) { return submit(request).queued.at(0).row; });
  }
  void end(std::int64_t row) {
    writer_->now([&](Store&) {
      finish(done(row, 1, 1));
      return true;
    });
  }
  // Such a sweep that has ended.
  void submit_ended(const std::string& command, const std::string& context = "1") {
    end(submit_with(command, context));
    notifier_->expect();
  }
  bool until_over() {
    return until([&] {
      const auto found = reader_->notification_of(sweep_);
      return found && *found && (*found)->ended;
    });
  }
  std::string problem() {
    const auto found = reader_->notification_of(sweep_);
    return found && *found ? (*found)->problem : "no notification";
  }
  void let_time_pass() {
    const Instant start = now_instant();
    until([&] { return now_instant() - start > milliseconds(500); });
  }

  Duration limit_ = seconds(60);
  std::unique_ptr<Notifier> notifier_;
};

TEST_F(NotifierTest, RunsOnceAndIsTold) {
  submit_ended("cat > told; echo \"$SWEEPD_SWEEP $SWEEPD_DONE $SWEEPD_FAILED\" >> ran; pwd");
  ASSERT_TRUE(until_over());
  EXPECT_EQ(problem(), "");
  EXPECT_THAT(contents("told"), AllOf(StartsWith("sweep s1 (" + sweep_ + ") has ended\n"),
                                      HasSubstr("1 attempts: 1 done")));
  EXPECT_EQ(contents("notify.log"), folder_.string() + "\n");
  notifier_->expect();
  let_time_pass();
  begin();
  notifier_->expect();
  let_time_pass();
  EXPECT_EQ(contents("ran"), "s1 1 0\n") << "once";
}

TEST_F(NotifierTest, WaitsForTheLastAttempt) {
  const auto row = submit_with("touch ran", "1");
  notifier_->expect();
  let_time_pass();
  EXPECT_FALSE(std::filesystem::exists(folder_ / "ran"));
  end(row);
  notifier_->changed();
  ASSERT_TRUE(until_over());
  EXPECT_TRUE(std::filesystem::exists(folder_ / "ran"));
}

TEST_F(NotifierTest, AFailureIsStoredAndWhatItSaidIsInTheLog) {
  submit_ended("echo out; echo oops >&2; exit 3");
  ASSERT_TRUE(until_over());
  EXPECT_EQ(problem(), "exit status 3");
  EXPECT_EQ(contents("notify.log"), "out\noops\n");
  submit_ended("kill -9 $$", "2");
  ASSERT_TRUE(until_over());
  EXPECT_EQ(problem(), "ended by signal 9");
}

TEST_F(NotifierTest, OneThatTakesTooLongIsEndedWithWhatItStarted) {
  limit_ = seconds(2);
  begin();
  submit_ended("sleep 1000 & echo $! > child; wait");
  ASSERT_TRUE(until_over());
  EXPECT_EQ(problem(), "took longer than 2.0 s and was ended");
  const std::filesystem::path child = "/proc/" + std::to_string(std::stol(contents("child")));
  EXPECT_TRUE(until([&] {
    std::ifstream stat(child / "stat");
    std::string pid, name, state;
    return !(stat >> pid >> name >> state) || state == "Z";
  }));
}

TEST_F(NotifierTest, OneThatDoesNotListenIsKilled) {
  limit_ = milliseconds(200);
  begin();
  submit_ended("trap '' TERM; touch here; while :; do sleep 0.05; done");
  ASSERT_TRUE(until_over());
  EXPECT_THAT(problem(), HasSubstr("took longer than"));
}

TEST_F(NotifierTest, TheNextDaemonRunsWhatThisOneCouldNot) {
  end(submit_with("touch ran", "1"));
  begin();
  ASSERT_TRUE(until_over());
  EXPECT_TRUE(std::filesystem::exists(folder_ / "ran"));
}

// The daemon died after the mark, perhaps before the command began.
TEST_F(NotifierTest, TheNextDaemonDoesNotRunItAgain) {
  end(submit_with("touch ran", "1"));
  ASSERT_TRUE(writer_->now([](Store& store) { return store.begin_notification(now_wall()); }));
  begin();
  notifier_->expect();
  let_time_pass();
  EXPECT_FALSE(std::filesystem::exists(folder_ / "ran"));
  EXPECT_THAT(problem(), HasSubstr("its outcome is unknown"));
}

TEST_F(NotifierTest, SeveralRunOneAfterTheOther) {
  end(submit_with("sleep 0.2; echo 1 >> ran", "1"));
  submit_ended("echo 2 >> ran", "2");
  ASSERT_TRUE(until_over());
  EXPECT_EQ(contents("ran"), "1\n2\n");
}

TEST_F(NotifierTest, ADaemonThatStopsBeginsNoMore) {
  notifier_->stop();
  submit_ended("touch ran");
  let_time_pass();
  EXPECT_FALSE(std::filesystem::exists(folder_ / "ran"));
  begin();
  EXPECT_TRUE(until_over());
}

TEST_F(NotifierTest, ALargeLogMakesRoom) {
  std::ofstream(log()) << std::string(2 << 20, 'x');
  submit_ended("echo new");
  ASSERT_TRUE(until_over());
  EXPECT_EQ(contents("notify.log"), "new\n");
  EXPECT_EQ(std::filesystem::file_size(log().string() + ".1"), 2U << 20);
}

}  // namespace
}  // namespace sweepd
