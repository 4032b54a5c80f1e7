// A fixture with an executor of the cluster that waits for its events.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/slurm/cluster.h"

namespace sweepd {

class SlurmTest : public testing::Test {
 protected:
  SlurmTest() {
    std::string name = (std::filesystem::temp_directory_path() / "sweepd-slurm-XXXXXX").string();
    root_ = ::mkdtemp(name.data());
    std::filesystem::create_directory(root_ / "runs");
    settings_ = settings_for(root_ / "runs", root_ / "worker");
  }
  ~SlurmTest() override {
    executor_.reset();
    end_all_jobs();
    // The jobs' files show why a test failed, which may happen once in a hundred runs.
    if (HasFailure()) std::printf("%s\n", output_of("grep -rs . " + root_.string()).c_str());
    std::filesystem::remove_all(root_);
  }

  void make() {
    executor_.reset();
    executor_ = make_slurm_executor(settings_);
  }
  AttemptFolder folder(const AttemptId& id) const { return AttemptFolder(root_ / "runs" / id); }
  // Fills in the id, and gives it to the executor.
  AttemptId start(AttemptRequest request) {
    if (!executor_) make();
    request.attempt = random_id();
    std::filesystem::create_directory(folder(request.attempt).path());
    prepare(request.attempt);
    EXPECT_TRUE(write_request(folder(request.attempt).request(), request));
    executor_->start(folder(request.attempt), request);
    return request.attempt;
  }
  virtual void prepare(const AttemptId&) {}
  ExecutorEvent next_of_any_kind() {
    for (int i = 0; i < 2000; ++i) {
      if (!events_.empty()) {
        const ExecutorEvent event = events_.front();
        events_.erase(events_.begin());
        return event;
      }
      pollfd readable{executor_->descriptor(), POLLIN, 0};
      if (::poll(&readable, 1, 60'000) != 1) break;
      events_ = executor_->events();
    }
    return WorkerLoaded{};  // this executor never reports it
  }
  // Waits for the next event of this kind; those before it are dropped.
  template <class Event>
  std::optional<Event> next() {
    while (true) {
      const ExecutorEvent event = next_of_any_kind();
      if (const auto* wanted = std::get_if<Event>(&event)) return *wanted;
      if (std::holds_alternative<WorkerLoaded>(event)) break;
    }
    ADD_FAILURE() << "the event did not come";
    return std::nullopt;
  }
  // Cancels the job of a running attempt, and waits for the resulting event.
  void cancel_job_of(const AttemptId& id) {
    output_of("scancel " + job_of(id));
    const auto lost = next<AttemptLost>();
    ASSERT_TRUE(lost);
    EXPECT_FALSE(lost->again);
    EXPECT_THAT(describe(lost->ending), testing::MatchesRegex(".*job [0-9]+ ended as CANCELLED.*"));
  }
  // A new daemon finds the attempt, running or ended, and waits for its end.
  void find_again(const AttemptId& id, int code) {
    make();
    events_.clear();
    const Adoption found = executor_->adopt(folder(id), id, 1);
    EXPECT_FALSE(found.incomplete || found.waits);
    const auto end = next<RankEnded>();
    ASSERT_TRUE(end);
    EXPECT_EQ(end->exit.code, code);
    ASSERT_TRUE(next<AttemptOver>());
  }
  std::string job_of(const AttemptId& id) const {
    const auto place = executor_->inspector()->place_of(id);
    return place ? place->allocation.id : "";
  }
  static bool eventually(const std::function<bool()>& holds) {
    for (int i = 0; i < 600; ++i) {
      if (holds()) return true;
      ::usleep(50'000);
    }
    return false;
  }
  std::size_t folders() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry :
         std::filesystem::directory_iterator(root_ / "runs/jobs/test-cluster")) {
      ++count;
    }
    return count;
  }

  std::filesystem::path root_;
  PilotSettings settings_;
  std::unique_ptr<Executor> executor_;
  std::vector<ExecutorEvent> events_;
};

}  // namespace sweepd
