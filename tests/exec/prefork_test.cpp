// Ranks forked from a loaded worker are like those that are started, also after any failure of the
// server.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "runner/base/host.h"
#include "runner/exec/found_rank.h"
#include "runner/exec/rank_processes.h"
#include "runner/exec/spawn.h"
#include "runner/wire/event.h"
#include "runner/wire/fork_server.h"
#include "runner/wire/rank_pidfile.h"
#include "tests/exec/scratch.h"
#include "tests/exec/start_all.h"

namespace sweepd {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class PreforkTest : public Scratch {
 protected:
  PreforkTest() { fs::copy_file(TEST_SWEEP_WORKER, worker_); }

  static AttemptRequest request(const std::string& kind = "done") {
    AttemptRequest request;
    request.attempt = "00112233aabbccdd";
    request.trial = "0123456789abcdef0123456789abcdef";
    request.workload = "fault";
    request.params = {{"kind", kind}, {"device", "cpu"}, {"warmup", "1"}, {"steps", "1"}};
    request.lease.ranks.push_back({usable_cores(), "", -1});
    return request;
  }

  // Returns once the worker has loaded or failed to. False means there was nothing to wait for.
  bool preload(const AttemptRequest& what = request()) {
    bool waited = false;
    for (int i = 0; i < 100; ++i) {
      const auto loading = executor_->prepare(what);
      if (!loading) return waited;
      waited = true;
      pollfd poll{*loading, POLLIN, 0};
      ::poll(&poll, 1, 10'000);
    }
    return false;
  }

  AttemptFolder folder(int number = 0) const {
    return AttemptFolder(root_ / fmt::format("attempt{}", number));
  }
  RankProcess start(const AttemptRequest& what = request(), int number = 0) {
    fs::create_directories(folder(number).path());
    EXPECT_TRUE(write_request(folder(number).request(), what).ok());
    auto ranks = start_all(*executor_, folder(number), what);
    EXPECT_TRUE(ranks.ok()) << ranks.error().message;
    return ranks.ok() ? std::move(ranks->at(0)) : RankProcess{};
  }
  ExitStatus finish(RankProcess process) {
    EXPECT_TRUE(ends(process.pidfd));
    return executor_->reap(process);
  }
  std::string log(int number = 0) const { return read(folder(number).log(0)); }

  // Returns the process that the rank was forked from; 0 if it was started by itself.
  static pid_t parent_of(const RankProcess& process) {
    const std::string stat = read(fmt::format("/proc/{}/stat", process.pid));
    std::istringstream rest(stat.substr(stat.rfind(')') + 4));
    pid_t parent = 0;
    rest >> parent;
    return parent == ::getpid() ? 0 : parent;
  }
  static std::size_t open_descriptors() {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator()));
  }

  fs::path worker_ = root_ / "worker";
  std::unique_ptr<RankProcesses> executor_ =
      std::make_unique<RankProcesses>(worker_, Prefork::kYes);
};

TEST_F(PreforkTest, AnAttemptIsForkedOnceTheWorkerIsLoaded) {
  ASSERT_TRUE(preload());
  EXPECT_EQ(finish(start()).code, 0);
  EXPECT_THAT(log(), HasSubstr("forked from the preloaded worker"));
  EXPECT_THAT(log(), HasSubstr("ended done"));
}

TEST_F(PreforkTest, TheNextAttemptIsForkedFromTheSameWorker) {
  ASSERT_TRUE(preload());
  AttemptRequest next = request();
  next.attempt = "ffeeddccbbaa9988";
  EXPECT_FALSE(preload(next)) << "it was loaded again";
  EXPECT_EQ(finish(start(next)).code, 0);
  EXPECT_THAT(log(), HasSubstr("forked from the preloaded worker"));
}

TEST_F(PreforkTest, WithoutAskingEveryAttemptIsStartedByItself) {
  EXPECT_EQ(finish(start()).code, 0);
  EXPECT_THAT(log(), Not(HasSubstr("forked")));
  executor_ = std::make_unique<RankProcesses>(worker_, Prefork::kNo);
  EXPECT_FALSE(preload());
}

TEST_F(PreforkTest, AForkIsWhatAStartIs) {
  // Session, group, cores, signals, descriptors and variables, as /proc shows them.
  const auto facts = [](pid_t pid) {
    std::string status;
    std::istringstream lines(read(fmt::format("/proc/{}/status", pid)));
    for (std::string line; std::getline(lines, line);) {
      for (const char* name :
           {"SigBlk:", "SigIgn:", "Cpus_allowed:", "Uid:", "NoNewPrivs:", "Seccomp:"}) {
        if (line.starts_with(name)) status += line + "\n";
      }
#if !defined(SWEEPD_UNDER_TSAN)  // whose own thread and signal come up at different times
      if (line.starts_with("Threads:") || line.starts_with("SigCgt:")) status += line + "\n";
#endif
    }
    for (int fd = 0; fd < 10; ++fd) {
      std::error_code none;
      const fs::path target = fs::read_symlink(fmt::format("/proc/{}/fd/{}", pid, fd), none);
      if (!none) status += fmt::format("{} {}\n", fd, target.filename().string());
    }
    status += fmt::format("leader {}\n", ::getsid(pid) == pid && ::getpgid(pid) == pid);
    status += fmt::format("nice {}\n", ::getpriority(PRIO_PROCESS, static_cast<id_t>(pid)));
    return status;
  };
  const auto begun = [&](int number) {
    for (int i = 0; i < 6000; ++i) {
      if (read(folder(number).events(0)).find("setup_time") != std::string::npos) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    FAIL() << log(number);
  };
  RankProcess started = start(request("hang"), 1);
  begun(1);
  const std::string of_started = facts(started.pid);
  executor_->signal(started, SIGKILL);
  EXPECT_EQ(finish(std::move(started)).signal, SIGKILL);

  ASSERT_TRUE(preload());
  RankProcess forked = start(request("hang"), 2);
  begun(2);
  EXPECT_NE(parent_of(forked), 0);
  EXPECT_EQ(facts(forked.pid), of_started);
  EXPECT_EQ(read(folder(2).pid(0)),
            fmt::format("{} {} {}\n", forked.pid, process_start_time(forked.pid), this_boot_id()));
  executor_->signal(forked, SIGKILL);
  EXPECT_EQ(finish(std::move(forked)).signal, SIGKILL);
}

TEST_F(PreforkTest, OnlyWhatCannotBeToldApartIsForked) {
  const auto changed = [](auto change) {
    AttemptRequest other = request();
    change(other);
    return other;
  };
  const std::vector<std::pair<std::string, AttemptRequest>> others{
      {"memory pass", changed([](AttemptRequest& r) { r.pass = Pass::kMemory; })},
      {"profile pass", changed([](AttemptRequest& r) { r.pass = Pass::kProfile; })},
      {"cuda", changed([](AttemptRequest& r) { r.params[1].second = "cuda"; })},
      {"gang", changed([](AttemptRequest& r) {
         r.lease.ranks.push_back(r.lease.ranks.front());
         r.params.emplace_back("world_size", "2");
       })},
      {"no warm-up", changed([](AttemptRequest& r) {
         for (auto& [name, text] : r.params) {
           if (name == "warmup") text = "0";
         }
       })},
      {"gpu", changed([](AttemptRequest& r) { r.lease.ranks[0].gpu_uuid = "GPU-1"; })}};
  for (const auto& [name, other] : others) EXPECT_FALSE(preload(other)) << name;
  ASSERT_TRUE(preload());
  finish(start(others.front().second, 1));
  EXPECT_THAT(log(1), Not(HasSubstr("forked")));
}

TEST_F(PreforkTest, OtherCoresAreAnotherServer) {
  if (usable_cores().size() < 2) GTEST_SKIP() << "needs two cores";
  AttemptRequest one_core = request();
  one_core.lease.ranks[0].cores = {usable_cores().back()};
  ASSERT_TRUE(preload());
  EXPECT_EQ(finish(start(one_core, 1)).code, 0);
  EXPECT_THAT(log(1), Not(HasSubstr("forked"))) << "loaded with other cores and OMP_NUM_THREADS";
  ASSERT_TRUE(preload(one_core));
  EXPECT_EQ(finish(start(one_core, 2)).code, 0);
  EXPECT_THAT(log(2), HasSubstr("forked"));
}

TEST_F(PreforkTest, AReplacedProgramIsLoadedAnew) {
  ASSERT_TRUE(preload());
  fs::remove(worker_);
  fs::copy_file(TEST_SWEEP_WORKER, worker_);
  EXPECT_EQ(finish(start(request(), 1)).code, 0);
  EXPECT_THAT(log(1), Not(HasSubstr("forked")));
  EXPECT_TRUE(preload());
  EXPECT_EQ(finish(start(request(), 2)).code, 0);
  EXPECT_THAT(log(2), HasSubstr("forked"));
}

TEST_F(PreforkTest, AKilledServerCostsNothingButItself) {
  ASSERT_TRUE(preload());
  RankProcess running = start(request("hang"), 1);
  const pid_t server = parent_of(running);
  ASSERT_GT(server, 0);
  ASSERT_EQ(::kill(server, SIGKILL), 0);
  EXPECT_EQ(finish(start(request(), 2)).code, 0);
  EXPECT_THAT(log(2), Not(HasSubstr("forked")));
  EXPECT_EQ(::kill(running.pid, 0), 0) << "what it forked lives on";
  executor_->signal(running, SIGKILL);
  const ExitStatus unknown = finish(std::move(running));
  EXPECT_FALSE(unknown.code || unknown.signal);
  EXPECT_TRUE(preload()) << "and it is started again";
  EXPECT_EQ(finish(start(request(), 3)).code, 0);
  EXPECT_THAT(log(3), HasSubstr("forked"));
}

TEST_F(PreforkTest, AStuckServerIsGivenUp) {
  ASSERT_TRUE(preload());
  RankProcess running = start(request("hang"), 1);
  ::kill(parent_of(running), SIGSTOP);
  EXPECT_EQ(finish(start(request(), 2)).code, 0);  // after five seconds
  EXPECT_THAT(log(2), Not(HasSubstr("forked")));
  ::kill(-running.pid, SIGKILL);
  EXPECT_TRUE(ends(running.pidfd));
}

// A server follows an order to fork after sweepd has died and the attempt was queued again.
TEST_F(PreforkTest, AForkThatComesLateTakesNobodysPlace) {
  int sockets[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets), 0);
  UniqueFd ours(sockets[0]), theirs(sockets[1]);
  const auto server = spawn({.program = worker_,
                             .arguments = {"--serve"},
                             .environment = {},
                             .cores = {},
                             .log = "/dev/null",
                             .input = theirs.get()});
  ASSERT_TRUE(server.ok()) << server.error().message;
  theirs.reset();
  ASSERT_TRUE(receive_packet(ours.get())) << "it is ready";
  ::kill(server->pid, SIGSTOP);
  fs::create_directories(folder().path());
  ASSERT_TRUE(write_request(folder().request(), request()).ok());
  const auto place = make_place(folder().pid(0));
  ASSERT_TRUE(place.ok());
  ASSERT_TRUE(
      send_packet(ours.get(), to_message(ForkCommand{folder().path(), 0, {}}), place->get()));
  EXPECT_TRUE(executor_->adopt(folder(), 1).incomplete);
  const auto next = make_place(folder().pid(0));
  ASSERT_TRUE(next.ok());
  ::kill(server->pid, SIGCONT);
  const auto said = receive_packet(ours.get());
  ASSERT_TRUE(said);
  EXPECT_THAT(reply_from(*said)->error, HasSubstr("Stale file handle"));
  ours.reset();
  EXPECT_TRUE(ends(server->pidfd));
  ::waitpid(server->pid, nullptr, 0);
  EXPECT_EQ(read(folder().pid(0)), "") << "the next one's";
  EXPECT_FALSE(fs::exists(folder().events(0)));
}

TEST_F(PreforkTest, AProgramThatCannotServeIsStartedEachTime) {
  executor_ =
      std::make_unique<RankProcesses>(script("[ $1 = --run ] || exit 2; echo ran"), Prefork::kYes);
  preload();
  EXPECT_EQ(finish(start()).code, 0);
  EXPECT_EQ(log(), "ran\n");
}

TEST_F(PreforkTest, TheServerGoesWithSweepd) {
  ASSERT_TRUE(preload());
  RankProcess running = start(request("hang"));
  const pid_t server = parent_of(running);
  executor_.reset();
  EXPECT_EQ(::kill(server, 0), -1);
  EXPECT_EQ(::kill(running.pid, 0), 0) << "attempts outlive sweepd";
  // The next sweepd finds it by its pid file.
  executor_ = std::make_unique<RankProcesses>(worker_, Prefork::kYes);
  auto adopted = executor_->adopt(folder(), 1).alive;
  ASSERT_EQ(adopted.size(), 1U);
  executor_->signal(adopted[0], SIGKILL);
  EXPECT_TRUE(ends(adopted[0].pidfd));
}

TEST_F(PreforkTest, TwoHundredAttemptsLeaveNothingBehind) {
  ASSERT_TRUE(preload());
  finish(start());
  const std::size_t before = open_descriptors();
  pid_t server = 0;
  for (int i = 0; i < 200; ++i) {
    const char* const kind = i % 10 == 0 ? "crash" : "done";
    RankProcess process = start(request(kind), i);
    if (server == 0) server = parent_of(process);
    const ExitStatus exit = finish(std::move(process));
    EXPECT_EQ(exit.signal.value_or(0), i % 10 == 0 ? SIGABRT : 0) << i;
    ASSERT_THAT(log(i), HasSubstr("forked"));
  }
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_EQ(read(fmt::format("/proc/{0}/task/{0}/children", server)), "") << "no zombies";
  EXPECT_EQ(std::distance(fs::directory_iterator(fmt::format("/proc/{}/fd", server)),
                          fs::directory_iterator()),
            3);
  executor_->rest();
  EXPECT_LT(::waitpid(-1, nullptr, WNOHANG), 0) << "no child of ours either";
}

}  // namespace
}  // namespace sweepd
