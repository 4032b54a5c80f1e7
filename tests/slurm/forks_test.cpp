// Attempts that a job's loaded worker forks end as those do that have their own step.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "tests/slurm/slurm_test.h"

namespace sweepd {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

class SlurmForks : public SlurmTest {
 protected:
  SlurmForks() {
    std::filesystem::copy_file(TEST_SWEEP_WORKER, root_ / "worker");
    settings_.prefork = Prefork::kYes;
    settings_.pool.slurm->max_jobs = 1;
  }
  static AttemptRequest request(const std::string& kind = "done") {
    AttemptRequest request;
    request.trial = "0123456789abcdef0123456789abcdef";
    request.workload = "fault";
    request.params = {{"kind", kind}, {"device", "cpu"}, {"warmup", "1"},
                      {"steps", "1"}, {"threads", "1"},  {"timeout", "1m"}};
    request.lease.ranks.resize(1);
    return request;
  }
  AttemptId start(const std::string& kind = "done") { return SlurmTest::start(request(kind)); }
  using SlurmTest::start;

  // Starts an attempt and waits for its end.
  ExitStatus run(const std::string& kind = "done", AttemptId* id = nullptr) {
    const AttemptId started = start(kind);
    if (id != nullptr) *id = started;
    const auto end = next<RankEnded>();
    EXPECT_TRUE(next<AttemptOver>());
    return end ? end->exit : ExitStatus{};
  }
  // A worker of bash.
  void script(const std::string& text) const {
    std::filesystem::remove(root_ / "worker");
    std::ofstream(root_ / "worker") << "#!/bin/bash\n" << text << "\n";
    std::filesystem::permissions(root_ / "worker", std::filesystem::perms::owner_all);
  }
  std::string log(const AttemptId& id) const {
    return output_of("cat " + folder(id).log(0).string());
  }
  // The processes of the loaded worker, the eldest first: its forks have the same command line. The
  // brackets keep the shell that asks from being found.
  std::string server() const {
    return output_of("pgrep -f -- '[w]orker --serve-job " + root_.string() + "'");
  }
  static std::string pages() { return output_of("ls /dev/shm | grep -c '^sweepd[.][0-9]'"); }
};

constexpr const char* kForked = "forked from the preloaded worker";

TEST_F(SlurmForks, OneStepServesAllAttempts) {
  AttemptId first, second;
  EXPECT_EQ(run("done", &first).code, 0);
  EXPECT_EQ(run("done", &second).code, 0);
  EXPECT_THAT(log(first), HasSubstr(kForked));
  EXPECT_THAT(log(second), HasSubstr(kForked));
  EXPECT_EQ(output_of("cat " + root_.string() +
                      "/runs/jobs/*/*/run.*/began.0 | cut -d' ' -f3 | "
                      "sort -u | wc -l"),
            "1");
}

TEST_F(SlurmForks, AForkHasTheNodesCoresAndAStepOfItsName) {
  AttemptId id;
  run("done", &id);
  const std::string journal = output_of("cat " + folder(id).events(0).string());
  EXPECT_THAT(journal, MatchesRegex(R"re(.*"[0-9]+\.0 on node[1-4]".*)re"));
}

TEST_F(SlurmForks, HowAForkEndsIsToldAsAShellDoes) {
  EXPECT_EQ(run("exit").code, 3);
  EXPECT_EQ(run("segv").signal, SIGSEGV);
  EXPECT_EQ(run("kill").signal, SIGKILL);
  EXPECT_EQ(run("done").code, 0);
}

TEST_F(SlurmForks, WhatMustNotBeForkedHasAStepOfItsOwn) {
  AttemptRequest cold = request();
  cold.params[2].second = "0";
  const AttemptId first = start(cold);
  ASSERT_TRUE(next<AttemptOver>());
  EXPECT_THAT(log(first), Not(HasSubstr(kForked)));
  EXPECT_EQ(server(), "");
  AttemptId warm;
  run("done", &warm);
  EXPECT_THAT(log(warm), HasSubstr(kForked));
  // While the loaded worker waits, too.
  const AttemptId last = start(cold);
  ASSERT_TRUE(next<AttemptOver>());
  EXPECT_THAT(log(last), Not(HasSubstr(kForked)));
  EXPECT_NE(server(), "");
}

// Of an attempt that needs no LibTorch, the worker without it is loaded.
class LightForks : public SlurmForks {
 protected:
  LightForks() {
    settings_.light = {root_ / "light", {"fault"}};
    std::filesystem::copy_file(TEST_SWEEP_WORKER, root_ / "light");
  }
  // Which worker is loaded: "light", "worker" or "".
  std::string loaded() const {
    return output_of(
        "pgrep -af -- '--serve-job " + root_.string() +
        "' | grep -v pgrep | grep -o '/[a-z]* --serve-job' | sort -u | cut -d' ' -f1 | "
        "tr -d /");
  }
  void run_one(const std::string& workload) {
    AttemptRequest one = request();
    one.workload = workload;
    if (workload == "noop") std::erase_if(one.params, [](auto& p) { return p.first == "kind"; });
    const AttemptId id = start(one);
    const auto end = next<RankEnded>();
    ASSERT_TRUE(end);
    EXPECT_EQ(end->exit.code, 0) << log(id);
    EXPECT_TRUE(next<AttemptOver>());
    EXPECT_THAT(log(id), HasSubstr(kForked));
  }
};

TEST_F(LightForks, OneThatNeedsTheOtherHasItLoadedAndItStays) {
  run_one("fault");
  EXPECT_EQ(loaded(), "light");
  run_one("fault");
  EXPECT_EQ(loaded(), "light");
  run_one("noop");
  EXPECT_EQ(loaded(), "worker");
  const std::string server_before = server();
  run_one("fault");
  EXPECT_EQ(loaded(), "worker");
  EXPECT_EQ(server(), server_before);
}

TEST_F(LightForks, WhereItIsMissingTheOtherIsLoaded) {
  std::filesystem::remove(root_ / "light");
  run_one("fault");
  EXPECT_EQ(loaded(), "worker");
}

TEST_F(LightForks, WhereItDoesNotLoadAnAttemptHasAStepOfItsOwn) {
  std::filesystem::remove(root_ / "light");
  std::ofstream(root_ / "light") << "#!/bin/bash\nexit 127\n";
  std::filesystem::permissions(root_ / "light", std::filesystem::perms::owner_all);
  AttemptId id;
  EXPECT_EQ(run("done", &id).code, 0);
  EXPECT_THAT(log(id), Not(HasSubstr(kForked)));
}

TEST_F(SlurmForks, WithoutPreforkNoneIs) {
  settings_.prefork = Prefork::kNo;
  AttemptId id;
  EXPECT_EQ(run("done", &id).code, 0);
  EXPECT_THAT(log(id), Not(HasSubstr(kForked)));
}

TEST_F(SlurmForks, OneThatIsStoppedGetsSigterm) {
  const AttemptId id = start("hang");
  ASSERT_TRUE(next<AttemptStarted>());
  ASSERT_TRUE(eventually([&] { return log(id).find(kForked) != std::string::npos; }));
  executor_->stop(id);
  const auto end = next<RankEnded>();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->exit.signal, SIGTERM);
  ASSERT_TRUE(next<AttemptOver>());
}

TEST_F(SlurmForks, OneThatIsKilledIsGoneAndTheNextIsForked) {
  const AttemptId id = start("hang_ignoring_sigterm");
  ASSERT_TRUE(next<AttemptStarted>());
  executor_->stop(id);
  executor_->kill(id);
  const auto end = next<RankEnded>();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->exit.signal, SIGKILL);
  ASSERT_TRUE(next<AttemptOver>());
  AttemptId following;
  EXPECT_EQ(run("done", &following).code, 0);
  EXPECT_THAT(log(following), HasSubstr(kForked));
}

TEST_F(SlurmForks, OneThatIsKilledBeforeItBeginsDoesNotBegin) {
  const AttemptId id = start("done");
  executor_->kill(id);
  const auto refused = next<AttemptNotStarted>();
  ASSERT_TRUE(refused);
  EXPECT_THAT(refused->error.message, HasSubstr("killed"));
}

TEST_F(SlurmForks, ALoadedWorkerThatDiesTakesItsAttemptAlong) {
  const AttemptId id = start("hang");
  ASSERT_TRUE(next<AttemptStarted>());
  ASSERT_TRUE(eventually([&] { return log(id).find(kForked) != std::string::npos; }));
  output_of("kill -KILL " + server().substr(0, server().find('\n')));
  const auto end = next<RankEnded>();
  ASSERT_TRUE(end);
  EXPECT_FALSE(end->exit.code || end->exit.signal);
  ASSERT_TRUE(next<AttemptOver>());
  EXPECT_EQ(server(), "") << "the fork lives";
  EXPECT_EQ(pages(), "0");
  AttemptId following;
  EXPECT_EQ(run("done", &following).code, 0);
  EXPECT_THAT(log(following), HasSubstr(kForked));
}

TEST_F(SlurmForks, AWorkerThatCannotBeLoadedCostsNoAttempt) {
  script("[ $1 = --run ] && exit 5; exit 1");
  EXPECT_EQ(run().code, 5);
  EXPECT_EQ(run().code, 5);
}

// A node that had no memory for a while, or a folder that was not mounted.
TEST_F(SlurmForks, AWorkerThatWasLostThreeTimesIsLoadedAgainLater) {
  settings_.timing.reload = seconds(3);
  settings_.pool.slurm->idle = seconds(30);
  const std::string tries = root_.string() + "/tries";
  script("[ $1 = --run ] && exit 5; echo >> " + tries + "; exit 1");
  EXPECT_EQ(run().code, 5);
  EXPECT_EQ(run().code, 5);
  EXPECT_EQ(output_of("wc -l < " + tries), "3") << "it rests";
  std::filesystem::copy_file(TEST_SWEEP_WORKER, root_ / "worker",
                             std::filesystem::copy_options::overwrite_existing);
  ::sleep(4);
  AttemptId id;
  EXPECT_EQ(run("done", &id).code, 0);
  EXPECT_THAT(log(id), HasSubstr(kForked));
  EXPECT_EQ(folders(), 1U) << "by the same pilot";
}

// A pipe may bring a line in parts, with any time between them.
TEST_F(SlurmForks, AnAnswerInPartsIsUnderstood) {
  script(R"(
say() { echo "$1" > "$2.new" && mv "$2.new" "$2"; }
echo ready
while read -r verb n id; do
  say "$EPOCHREALTIME $SLURMD_NODENAME 1.0" "$2/run.$n/began.0"
  printf ov; sleep 0.2
  say 6 "$2/run.$n/exit.0"
  say "$n over $SLURM_JOB_ID $SLURM_JOB_NODELIST" "$2/report"
  printf er; sleep 0.2; echo " $n"
done)");
  EXPECT_EQ(run().code, 6);
  EXPECT_EQ(run().code, 6);
}

TEST_F(SlurmForks, AWorkerThatIsReplacedIsLoadedAgain) {
  EXPECT_EQ(run().code, 0);
  const std::string old = server();
  ASSERT_NE(old, "");
  std::filesystem::copy_file(TEST_SWEEP_WORKER, root_ / "worker.new");
  std::filesystem::rename(root_ / "worker.new", root_ / "worker");
  AttemptId id;
  EXPECT_EQ(run("done", &id).code, 0);
  EXPECT_THAT(log(id), HasSubstr(kForked));
  EXPECT_NE(server(), old);
}

TEST_F(SlurmForks, AJobThatSomebodyCancelsCancelsItsFork) {
  const AttemptId id = start("hang");
  ASSERT_TRUE(next<AttemptStarted>());
  // As one that was killed leaves it.
  const std::string page = "/dev/shm/sweepd." + job_of(id) + ".99.0";
  std::ofstream(page) << "page";
  cancel_job_of(id);
  EXPECT_TRUE(eventually([this] { return server().empty(); }));
  EXPECT_TRUE(eventually([&] { return !std::filesystem::exists(page); }));
}

// Its parent gets no signal, as happens for a moment while Slurm cancels a step.
TEST_F(SlurmForks, OneThatSomebodyElseTerminatesIsCancelled) {
  const AttemptId id = start("hang");
  ASSERT_TRUE(next<AttemptStarted>());
  ASSERT_TRUE(eventually([&] { return log(id).find(kForked) != std::string::npos; }));
  const std::string all = server();
  output_of("kill -TERM " + all.substr(all.rfind('\n') + 1));
  const auto lost = next<AttemptLost>();
  ASSERT_TRUE(lost);
  EXPECT_FALSE(lost->again);
  EXPECT_THAT(describe(lost->ending), HasSubstr("got SIGTERM, and sweepd did not send it"));
}

TEST_F(SlurmForks, ALaterDaemonFindsTheForkAndItsEnd) {
  AttemptRequest slow = request("slow");
  slow.params.emplace_back("sleep", "1s");
  const AttemptId id = start(slow);
  ASSERT_TRUE(next<AttemptStarted>());
  find_again(id, 0);
}

TEST_F(SlurmForks, NothingIsLeftOfAJobThatHasEnded) {
  EXPECT_EQ(run().code, 0);
  EXPECT_NE(server(), "");
  EXPECT_TRUE(eventually([] { return output_of("squeue --noheader --me").empty(); }));
  EXPECT_TRUE(eventually([this] { return server().empty(); }));
  EXPECT_EQ(pages(), "0");
  EXPECT_TRUE(eventually(
      [this] { return !output_of("ls " + root_.string() + "/runs/jobs/*/*/ended").empty(); }));
  EXPECT_THAT(output_of("cat " + root_.string() + "/runs/jobs/*/*/ended"), HasSubstr("COMPLETED"));
}

}  // namespace
}  // namespace sweepd
