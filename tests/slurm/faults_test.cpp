// What Slurm does to jobs, and how the executor reports it. On the real cluster.
#include <gmock/gmock.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "tests/slurm/cluster.h"

namespace sweepd {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

class SlurmFaults : public testing::Test {
 protected:
  SlurmFaults() {
    std::string name = (std::filesystem::temp_directory_path() / "sweepd-faults-XXXXXX").string();
    root_ = ::mkdtemp(name.data());
    std::filesystem::create_directory(root_ / "runs");
    std::ofstream(root_ / "worker") << "#!/bin/sh\ncd \"$2\" && . ./do\n";
    ::chmod((root_ / "worker").c_str(), 0755);
    settings_ = settings_for(root_ / "runs", root_ / "worker");
  }
  ~SlurmFaults() override {
    executor_.reset();
    end_all_jobs();
    // What the jobs left tells why a test failed, which may happen once in a hundred runs.
    if (HasFailure()) std::printf("%s\n", output_of("grep -rs . " + root_.string()).c_str());
    std::filesystem::remove_all(root_);
  }

  void make() {
    executor_.reset();
    executor_ = make_slurm_executor(settings_);
  }
  AttemptFolder folder(const AttemptId& id) const { return AttemptFolder(root_ / "runs" / id); }
  AttemptId start(const std::string& what, int ranks = 1, const std::string& timeout = "1m") {
    if (!executor_) make();
    AttemptRequest request;
    request.attempt = random_id();
    request.workload = "noop";
    request.params = {{"device", "cpu"}, {"threads", "1"}, {"timeout", timeout}};
    request.lease.ranks.resize(static_cast<std::size_t>(ranks));
    std::filesystem::create_directory(folder(request.attempt).path());
    std::ofstream(folder(request.attempt).path() / "do") << what << "\n";
    EXPECT_TRUE(write_request(folder(request.attempt).request(), request));
    executor_->start(folder(request.attempt), request);
    return request.attempt;
  }
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
    return WorkerLoaded{};  // this executor never says so
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
  SlurmSettings settings_;
  std::unique_ptr<Executor> executor_;
  std::vector<ExecutorEvent> events_;
};

constexpr const char* kSleeps = "exec sleep 1000";

TEST_F(SlurmFaults, AJobThatSomebodyCancelsCancelsItsAttempt) {
  const auto id = start(kSleeps);
  ASSERT_TRUE(next<AttemptStarted>());
  output_of("scancel " + job_of(id));
  const auto lost = next<AttemptLost>();
  ASSERT_TRUE(lost);
  EXPECT_FALSE(lost->again);
  EXPECT_THAT(describe(lost->ending), MatchesRegex(".*job [0-9]+ ended as CANCELLED.*"));
}

TEST_F(SlurmFaults, AfterANodeFailsTheAttemptIsToRunAgain) {
  const auto id = start(kSleeps);
  ASSERT_TRUE(next<AttemptStarted>());
  const std::string node = executor_->inspector()->place_of(id)->nodes;
  output_of("scontrol update nodename=" + node + " state=down reason=test");
  const auto lost = next<AttemptLost>();
  output_of("scontrol update nodename=" + node + " state=resume");
  ASSERT_TRUE(lost);
  EXPECT_TRUE(lost->again);
  EXPECT_THAT(lost->what, HasSubstr("NODE_FAIL on " + node));
}

TEST_F(SlurmFaults, WhatCannotEndInTimeIsNotBegunInAnOldJob) {
  settings_.pool.slurm->time = seconds(120);
  settings_.timing.spare = seconds(1);
  const auto first = start("sleep 2", 1, "1m");
  ASSERT_TRUE(next<AttemptStarted>());
  const std::string old_job = job_of(first);
  ASSERT_TRUE(next<AttemptOver>());
  const auto second = start("exit 0", 1, "118s");
  ASSERT_TRUE(next<AttemptStarted>());
  EXPECT_NE(job_of(second), old_job);
}

TEST_F(SlurmFaults, WhatSbatchSaysIsTheError) {
  settings_.pool.slurm->partition = "nix";
  start("exit 0");
  const auto refused = next<AttemptNotStarted>();
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->error.code, ErrorCode::kUnavailable);
  EXPECT_THAT(refused->error.message, HasSubstr("invalid partition specified: nix"));
}

TEST_F(SlurmFaults, WhatIsLargerThanTheClusterCanNeverRun) {
  start("exit 0", 10);  // five nodes
  const auto refused = next<AttemptNotStarted>();
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->error.code, ErrorCode::kFailedPrecondition);
  EXPECT_THAT(refused->error.message, HasSubstr("sbatch: error: Batch job submission failed: "));
  const auto estimate = executor_->inspector()->estimate({10, false, 1, seconds(60)});
  ASSERT_TRUE(estimate);
  EXPECT_THAT(estimate->never, HasSubstr("allocation failure: "));
}

TEST_F(SlurmFaults, APrologueThatFailsIsToldWithItsLastLine) {
  settings_.pool.prologue = "echo no such module: cuda >&2; false";
  start("exit 0");
  const auto refused = next<AttemptNotStarted>();
  ASSERT_TRUE(refused);
  EXPECT_THAT(refused->error.message,
              MatchesRegex("the prologue of pool `cluster` ended with status 1 on node[1-4] .job "
                           "[0-9]+.: no such module: cuda"));
}

TEST_F(SlurmFaults, APrologueThatEndsTheShellIsToldToo) {
  settings_.pool.prologue = "echo no account >&2; exit 7";
  start("exit 0");
  const auto refused = next<AttemptNotStarted>();
  ASSERT_TRUE(refused);
  EXPECT_THAT(refused->error.message,
              MatchesRegex("the prologue of pool `cluster` ended with status 7 .*: no account"));
}

TEST_F(SlurmFaults, APrologueSetsWhatTheWorkerSees) {
  settings_.pool.prologue = "export GREETING='it'\\''s here'";
  start("test \"$GREETING\" = \"it's here\" && exit 4");
  const auto end = next<RankEnded>();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->exit.code, 4);
}

TEST_F(SlurmFaults, AWorkerThatIsMissingOnTheNodeIsToldAsALoaderDoes) {
  std::filesystem::remove(root_ / "worker");
  const auto id = start("exit 0");
  const auto end = next<RankEnded>();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->exit.code, kExitNotLoaded);
  EXPECT_THAT(output_of("cat " + folder(id).log(0).string()), HasSubstr("No such file"));
}

TEST_F(SlurmFaults, WithoutAControllerItWaitsAndSaysSo) {
  const auto running = start("sleep 3; exit 6");
  ASSERT_TRUE(next<AttemptStarted>());
  output_of(std::string(SLURM_CLUSTER) + " --down slurmctld");
  EXPECT_TRUE(eventually([this] { return !executor_->inspector()->trouble().empty(); }));
  EXPECT_THAT(executor_->inspector()->trouble(),
              MatchesRegex("the controller of pool `cluster` does not answer since .*: "
                           ".*Unable to contact slurm controller.*"));
  const auto end = next<RankEnded>();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->exit.code, 6);
  start("exit 0");
  output_of(std::string(SLURM_CLUSTER) + " --up slurmctld");
  ASSERT_TRUE(next<AttemptStarted>());
  EXPECT_TRUE(eventually([this] { return executor_->inspector()->trouble().empty(); }));
}

// The daemon dies after it wrote what it would submit, and before sbatch ran or after it answered.
TEST_F(SlurmFaults, NothingIsSubmittedTwiceAndNoJobIsForgotten) {
  for (int death = 0; death < 6; ++death) {
    const auto id = start("exit 0");
    ::usleep(static_cast<useconds_t>(death) * 8'000);
    make();
    events_.clear();
    const Adoption found = executor_->adopt(folder(id), id, 1);
    ASSERT_FALSE(found.incomplete);
    ASSERT_TRUE(next<AttemptOver>());
  }
  EXPECT_TRUE(eventually([] { return output_of("squeue --noheader --me").empty(); }));
  // Every job that ran had a folder, and every folder says how its job ended.
  EXPECT_TRUE(eventually([this] {
    for (const auto& entry :
         std::filesystem::directory_iterator(root_ / "runs/jobs/test-cluster")) {
      if (!std::filesystem::exists(entry.path() / "ended")) return false;
    }
    return true;
  }));
}

TEST_F(SlurmFaults, AnEndIsFoundWhenItsJobIsGoneToo) {
  const auto id = start("exit 5");
  ASSERT_TRUE(next<AttemptStarted>());
  executor_.reset();
  EXPECT_TRUE(eventually([] { return output_of("squeue --noheader --me").empty(); }));
  for (int daemon = 0; daemon < 2; ++daemon) {  // the first dies before it stores what it found
    make();
    events_.clear();
    const Adoption found = executor_->adopt(folder(id), id, 1);
    EXPECT_FALSE(found.incomplete || found.waits);
    const auto end = next<RankEnded>();
    ASSERT_TRUE(end);
    EXPECT_EQ(end->exit.code, 5);
    ASSERT_TRUE(next<AttemptOver>());
  }
}

TEST_F(SlurmFaults, AStepThatSomebodyCancelsIsNotItsJob) {
  const auto id = start(kSleeps);
  ASSERT_TRUE(next<AttemptStarted>());
  output_of("scancel " + job_of(id) + ".0");
  const auto lost = next<AttemptLost>();
  ASSERT_TRUE(lost);
  EXPECT_FALSE(lost->again);
  EXPECT_THAT(describe(lost->ending), HasSubstr("its step was cancelled"));
}

// Else the next daemon would take its end for somebody else's, and start nothing for a while.
TEST_F(SlurmFaults, AJobThatAnEarlierDaemonTookBackIsNobodysFault) {
  settings_.pool.slurm->sbatch = {"--begin=now+1hour"};
  settings_.pool.slurm->idle = seconds(1);
  settings_.pool.slurm->poll = seconds(600);  // the first daemon does not hear of the end
  const auto first = start("exit 0");
  ASSERT_TRUE(eventually([&] { return !job_of(first).empty(); }));
  executor_->kill(first);
  ASSERT_TRUE(next<AttemptNotStarted>());
  ASSERT_TRUE(eventually([] { return output_of("squeue --noheader --me").empty(); }));
  executor_.reset();
  settings_.pool.slurm->sbatch.clear();
  start("exit 0");
  EXPECT_TRUE(std::holds_alternative<AttemptStarted>(next_of_any_kind()));
}

TEST_F(SlurmFaults, TheFoldersOfOldJobsAreRemoved) {
  settings_.pool.slurm->partition = "nix";
  for (int i = 0; i < 25; ++i) {
    start("exit 0");
    ASSERT_TRUE(next<AttemptNotStarted>());
  }
  EXPECT_EQ(folders(), 20U);
  make();  // as does the next daemon
  EXPECT_EQ(folders(), 20U);
  start("exit 0");
  ASSERT_TRUE(next<AttemptNotStarted>());
  EXPECT_EQ(folders(), 20U);
}

TEST_F(SlurmFaults, APilotWithoutWorkEnds) {
  start("exit 0");
  ASSERT_TRUE(next<AttemptOver>());
  EXPECT_TRUE(eventually([] { return output_of("squeue --noheader --me").empty(); }));
}

TEST_F(SlurmFaults, AtMostMaxJobsRunAtATime) {
  settings_.pool.slurm->max_jobs = 2;
  start(kSleeps);
  start(kSleeps);
  ASSERT_TRUE(next<AttemptStarted>() && next<AttemptStarted>());
  EXPECT_EQ(folders(), 2U);
  EXPECT_EQ(output_of("squeue --noheader --me | wc -l"), "2");
}

TEST_F(SlurmFaults, TellsWhatTheClusterHas) {
  make();
  const auto status = executor_->inspector()->status();
  ASSERT_TRUE(status);
  ASSERT_FALSE(status->nodes.empty());
  EXPECT_EQ(status->nodes.front().cores, 2);
  const auto estimate = executor_->inspector()->estimate({4, false, 1, seconds(60)});
  ASSERT_TRUE(estimate);
  EXPECT_EQ(estimate->asks, "2 nodes x 2 CPUs for 10m");
  EXPECT_EQ(estimate->never, "");
  EXPECT_TRUE(estimate->starts);
  const auto long_ones = executor_->inspector()->estimate({4, false, 1, seconds(600)});
  ASSERT_TRUE(long_ones);
  EXPECT_EQ(long_ones->asks,
            "2 nodes x 2 CPUs for 10m, a job for each attempt because a timeout of 10m leaves no "
            "room for others");
  settings_.pool.slurm->partition = "nix";
  make();
  const auto unknown = executor_->inspector()->status();
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().message, "Slurm has no partition `nix` with nodes");
}

}  // namespace
}  // namespace sweepd
