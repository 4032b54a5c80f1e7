// Tests a watcher's notifications, and that nothing is missing when the last one comes.
#include "runner/daemon/serving/watchers.h"

#include <gmock/gmock.h>
#include <sys/socket.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <fstream>
#include <future>

#include "runner/base/unique_fd.h"
#include "runner/daemon/handlers/handlers.h"
#include "runner/daemon/serving/services.h"
#include "runner/wire/messages/queue.h"
#include "runner/wire/rpc.h"
#include "tests/daemon/dispatcher_story.h"

namespace sweepd {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class WatchersTest : public DispatcherStory {
 protected:
  void SetUp() override {
    DispatcherStory::SetUp();
    readers_ = std::make_unique<ReaderPool>(file(), catalog_, 1, seconds(10));
    slow_ = std::make_unique<ReaderPool>(file(), catalog_, 1, seconds(10));
    services_ = std::make_unique<ReadServices>(
        ReadServices{StateFolder(folder_), file(), catalog_, *readers_, *slow_});
    watchers_ = std::make_unique<Watchers>(*io_, *readers_, *slow_,
                                           EstimateSources{catalog_, host_, worker_}, machine_);
    analyst_ =
        std::make_unique<Analyst>(*io_, *slow_, *writer_, catalog_, worker_, Analyst::Hooks{});
    watchers_->set_sources(*dispatcher_, *analyst_);
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends), 0);
    Session::Socket socket(*io_);
    socket.assign(boost::asio::local::stream_protocol(), ends[0]);
    session_ = std::make_shared<Session>(std::move(socket), *services_, call_handler);
    session_->start();
    client_ = UniqueFd(ends[1]);
  }
  void TearDown() override {
    session_->close();
    settle();
    readers_->finish();
    slow_->finish();
    watchers_.reset();
    session_.reset();
    DispatcherStory::TearDown();
  }
  void on_ended(const EndedAttempt& attempt) override {
    DispatcherStory::on_ended(attempt);
    if (watchers_) watchers_->ended(attempt);
  }

  void watch(const std::vector<OpenAttempt>& attempts, std::int64_t past = 20) {
    std::unordered_set<TrialKey> trials;
    for (const OpenAttempt& attempt : attempts) trials.insert(attempt.trial_key);
    watchers_->add(session_, *reader_->find_sweep(sweep_), std::move(trials), past);
  }
  // Runs the loop until `n` notifications have come.
  const std::vector<rpc::Progress>& told(std::size_t n) {
    until([&] {
      char bytes[4096];
      const ssize_t got = ::recv(client_.get(), bytes, sizeof bytes, 0);
      if (got > 0) text_.append(bytes, static_cast<std::size_t>(got));
      for (std::size_t end = text_.find('\n'); end != std::string::npos; end = text_.find('\n')) {
        const auto line = nlohmann::json::parse(text_.substr(0, end));
        text_.erase(0, end + 1);
        if (line.at("method") == rpc::Stopping::kName) {
          stops_.push_back(line.at("params").at("now").get<bool>());
          continue;
        }
        EXPECT_TRUE(from_message(line.at("params"), told_.emplace_back()));
      }
      return told_.size() >= n;
    });
    return told_;
  }
  // The only thread that reads the database waits until the promise is kept.
  std::promise<void> hold_readers() {
    std::promise<void> let_go;
    const auto held = std::make_shared<std::shared_future<void>>(let_go.get_future());
    const auto wait = [held, this]() -> boost::asio::awaitable<void> {
      const auto work = [held] {
        held->wait();
        return true;
      };
      co_await readers_->compute(work);
    };
    boost::asio::co_spawn(*io_, wait, boost::asio::detached);
    return let_go;
  }
  // Longer than news are gathered.
  void let_time_pass() {
    const Instant start = now_instant();
    until([&] { return now_instant() - start > milliseconds(300); });
  }
  static std::vector<std::string> outcomes(const rpc::Progress& progress) {
    std::vector<std::string> all;
    for (const rpc::EndedEntry& entry : progress.ended) all.push_back(entry.outcome);
    return all;
  }

  HostInfo host_ = host_named("alpha");
  Machine machine_;
  std::filesystem::path worker_;  // "": no worker is asked
  std::unique_ptr<ReaderPool> readers_, slow_;
  std::unique_ptr<Analyst> analyst_;
  std::unique_ptr<ReadServices> services_;
  std::unique_ptr<Watchers> watchers_;
  std::shared_ptr<Session> session_;
  UniqueFd client_;
  std::string text_;
  std::vector<rpc::Progress> told_;
  std::vector<bool> stops_;  // whether at once
};

const Ending kFailed{Failed{"no", "measure"}, 0};

TEST_F(WatchersTest, WhatEndsWhileTheCountsAreReadIsToldBeforeTheEnd) {
  const auto attempts = enqueue({{{"model", "large"}}});
  ASSERT_TRUE(until_started(1));
  watch(attempts);
  ASSERT_EQ(told(1).size(), 1U);
  EXPECT_FALSE(told_[0].over);

  auto let_go = hold_readers();
  watchers_->changed();
  let_time_pass();  // now the counts wait for the reader
  say_and_exit(attempts[0], 0, kFailed);
  ASSERT_TRUE(until_ended(1));
  let_go.set_value();
  while (!told_.back().over) ASSERT_GT(told(told_.size() + 1).size(), 1U);
  std::vector<std::string> all;
  for (const auto& progress : told_) {
    for (const std::string& outcome : outcomes(progress)) all.push_back(outcome);
  }
  EXPECT_THAT(all, ElementsAre("failed"));
}

TEST_F(WatchersTest, WhoWatchesOrBeginsToIsToldOfAStopAtOnce) {
  const auto attempts = enqueue({{{"model", "large"}}});
  watch(attempts);
  told(1);
  watchers_->stopping({false});
  watch(attempts);
  watchers_->stopping({true});
  told(3);  // the next news, of both
  EXPECT_THAT(stops_, ElementsAre(false, false, true, true));
}

TEST_F(WatchersTest, WhoComesLaterIsToldOfThePastOnce) {
  const auto attempts = enqueue({{{"model", "large"}}, {{"model", "xl"}}});
  ASSERT_TRUE(until_started(1));
  say_and_exit(executor_.started[0].attempt == attempts[0].id ? attempts[0] : attempts[1], 0,
               kFailed);
  ASSERT_TRUE(until_ended(1));
  watch(attempts);
  ASSERT_EQ(told(1).size(), 1U);
  EXPECT_THAT(outcomes(told_[0]), ElementsAre("failed"));
  watchers_->changed();
  ASSERT_EQ(told(2).size(), 2U);
  EXPECT_THAT(outcomes(told_[1]), IsEmpty());
}

TEST_F(WatchersTest, OfThePastTheLastAreToldAsManyAsSomebodyWants) {
  const auto attempts = enqueue({{{"model", "large"}}, {{"model", "xl"}}, {{"model", "small"}}});
  for (int i = 1; i <= 2; ++i) {
    ASSERT_TRUE(until_started(i));
    const std::string running = executor_.started.back().attempt;
    say_and_exit(*std::ranges::find(attempts, running, &OpenAttempt::id), 0, kFailed);
    ASSERT_TRUE(until_ended(i));
  }
  const std::string last = executor_.started[1].attempt;
  watch(attempts, 1);
  watch(attempts, 2);
  ASSERT_EQ(told(2).size(), 2U);
  ASSERT_EQ(told_[0].ended.size(), 1U);
  EXPECT_EQ(told_[0].ended[0].attempt, last);
  EXPECT_EQ(told_[1].ended.size(), 2U);
}

TEST_F(WatchersTest, ToldOfAPauseAndOfItsEnd) {
  const auto attempts = enqueue({{{"model", "large"}}, {{"model", "xl"}}});
  ASSERT_TRUE(until_started(1));
  watch(attempts);
  ASSERT_EQ(told(1).size(), 1U);
  EXPECT_FALSE(told_[0].paused);
  ASSERT_TRUE(
      writer_->now([this](Store& store) { return store.pause_sweeps({sweep_}, now_wall()); }));
  watchers_->changed();
  ASSERT_EQ(told(2).size(), 2U);
  EXPECT_TRUE(told_[1].paused);
  EXPECT_FALSE(told_[1].over);
  ASSERT_TRUE(writer_->now([this](Store& store) { return store.resume_sweeps({sweep_}); }));
  watchers_->changed();
  ASSERT_EQ(told(3).size(), 3U);
  EXPECT_FALSE(told_[2].paused);
}

// Otherwise thirty watchers would start thirty workers, and no question would be answered until
// then.
TEST_F(WatchersTest, AWorkerThatTakesLongIsAskedOnceAndNobodyWaitsForIt) {
  worker_ = folder_ / "worker";
  std::ofstream(worker_) << "#!/bin/sh\necho >> '" << folder_.string() << "/asked'\n"
                         << "until [ -e '" << folder_.string() << "/go' ]; do sleep 0.01; done\n"
                         << "exit 1\n";
  std::filesystem::permissions(worker_, std::filesystem::perms::owner_all);
  const auto attempts = enqueue({{{"model", "large"}}, {{"model", "xl"}}});
  ASSERT_TRUE(until_started(1));
  for (int i = 0; i < 3; ++i) watch(attempts);
  ASSERT_EQ(told(3).size(), 3U);
  ASSERT_TRUE(until([this] { return std::filesystem::exists(folder_ / "asked"); }));
  watchers_->changed();
  EXPECT_EQ(told(6).size(), 6U);
  std::ofstream(folder_ / "go") << "\n";
  let_time_pass();
  watchers_->changed();
  EXPECT_EQ(told(9).size(), 9U);
  EXPECT_EQ(std::filesystem::file_size(folder_ / "asked"), 1U) << "it was asked more than once";
}

TEST_F(WatchersTest, WhatEndsWhileThePastIsReadIsToldOnce) {
  const auto attempts = enqueue({{{"model", "large"}}});
  ASSERT_TRUE(until_started(1));
  auto let_go = hold_readers();
  watch(attempts);
  let_time_pass();
  say_and_exit(attempts[0], 0, kFailed);
  ASSERT_TRUE(until_ended(1));
  let_go.set_value();
  ASSERT_EQ(told(1).size(), 1U);
  EXPECT_THAT(outcomes(told_[0]), ElementsAre("failed"));
  EXPECT_TRUE(told_[0].over);
}

}  // namespace
}  // namespace sweepd
