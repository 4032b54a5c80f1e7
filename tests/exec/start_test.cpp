// Tests the start of ranks: the process's environment, and its exit status.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "runner/base/host.h"
#include "runner/exec/rank_processes.h"
#include "runner/wire/rank_pidfile.h"
#include "tests/exec/scratch.h"
#include "tests/exec/start_all.h"

namespace sweepd {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Start : public Scratch {
 protected:
  Start() { std::filesystem::create_directory(folder_.path()); }

  static AttemptRequest request(int ranks = 1) {
    AttemptRequest request;
    request.attempt = "00112233aabbccdd";
    for (int rank = 0; rank < ranks; ++rank) {
      request.lease.ranks.push_back({usable_cores(), "", -1});
    }
    return request;
  }
  // Runs one rank to its end.
  ExitStatus run(const std::string& lines, const AttemptRequest& what = request()) {
    const auto executor = std::make_unique<RankProcesses>(script(lines));
    auto ranks = start_all(*executor, folder_, what);
    EXPECT_TRUE(ranks.ok()) << ranks.error().message;
    if (!ranks.ok()) return {};
    EXPECT_TRUE(ends(ranks->at(0).pidfd));
    return executor->reap(ranks->at(0));
  }

  AttemptFolder folder_{root_ / "attempt"};
};

bool has_no_children() {
  return ::waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD;
}

TEST_F(Start, ReportsTheExitCode) {
  for (const int code : {0, 1, 7, 255}) {
    const ExitStatus status = run(fmt::format("exit {}", code));
    EXPECT_EQ(status.code, code);
    EXPECT_EQ(status.signal, std::nullopt);
  }
  EXPECT_TRUE(has_no_children());
}

TEST_F(Start, ReportsTheSignal) {
  for (const int signal : {SIGKILL, SIGSEGV, SIGTERM}) {
    const ExitStatus status = run(fmt::format("kill -{} $$", signal));
    EXPECT_EQ(status.signal, signal);
    EXPECT_EQ(status.code, std::nullopt);
  }
}

TEST_F(Start, CallsTheWorkerWithTheFolder) {
  run("echo \"$#\" \"$1\" \"$2\"");
  EXPECT_EQ(read(folder_.log(0)), "2 --run " + folder_.path().string() + "\n");
}

TEST_F(Start, AppendsBothOutputsToTheLog) {
  write("attempt/log.0.txt", "before\n");
  run("echo out; echo err >&2");
  EXPECT_EQ(read(folder_.log(0)), "before\nout\nerr\n");
}

TEST_F(Start, GivesAnEmptyInput) {
  run("cat; echo done");
  EXPECT_EQ(read(folder_.log(0)), "done\n");
}

TEST_F(Start, SaysWhoItIsBeforeTheWorkerRuns) {
  const auto ready = fifo("ready");
  const auto executor = std::make_unique<RankProcesses>(
      script(fmt::format("cat \"$2/pid.0\" > {}; exec sleep 100", ready.string())));
  auto ranks = start_all(*executor, folder_, request());
  ASSERT_TRUE(ranks.ok()) << ranks.error().message;
  const pid_t pid = ranks->at(0).pid;
  EXPECT_EQ(read(ready), fmt::format("{} {} {}\n", pid, process_start_time(pid), this_boot_id()));
  executor->signal(ranks->at(0), SIGKILL);
  ASSERT_TRUE(ends(ranks->at(0).pidfd));
  executor->reap(ranks->at(0));
}

TEST_F(Start, BindsTheRankToItsCores) {
  AttemptRequest one_core = request();
  const int core = usable_cores().back();
  one_core.lease.ranks[0].cores = {core};
  run("grep Cpus_allowed_list /proc/self/status; echo $OMP_NUM_THREADS", one_core);
  EXPECT_EQ(read(folder_.log(0)), fmt::format("Cpus_allowed_list:\t{}\n1\n", core));
}

TEST_F(Start, LeadsItsOwnSession) {
  run("cut -d' ' -f1,5,6 /proc/$$/stat | tr ' ' '\\n' | sort -u | wc -l");
  EXPECT_EQ(read(folder_.log(0)), "1\n");  // pid = group = session
}

TEST_F(Start, PassesOnNoDescriptorOfTheDaemonButThePlace) {
  const UniqueFd leaked(::open("/dev/null", O_RDONLY));  // NOLINT: not CLOEXEC on purpose
  ASSERT_GT(leaked.get(), 2);
  const UniqueFd above(::fcntl(leaked.get(), F_DUPFD, 20));
  ASSERT_GE(above.get(), 20);
  run("readlink /proc/self/fd/3; exec ls /proc/self/fd");
  EXPECT_EQ(read(folder_.log(0)),  // 4: the folder that ls itself reads
            folder_.pid(0).string() + "\n0\n1\n2\n3\n4\n");
}

TEST_F(Start, ResetsTheSignalsThatTheDaemonBlocksOrIgnores) {
  sigset_t blocked, before;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const auto old = ::signal(SIGPIPE, SIG_IGN);
  run("grep -E 'Sig(Blk|Ign)' /proc/self/status");
  ::signal(SIGPIPE, old);
  sigset_t after;
  ::pthread_sigmask(SIG_SETMASK, &before, &after);
  EXPECT_EQ(read(folder_.log(0)), "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
  EXPECT_TRUE(::sigismember(&after, SIGTERM));  // the daemon's own are unchanged
  EXPECT_FALSE(::sigismember(&after, SIGHUP));
}

TEST_F(Start, SaysWhichProgramIsMissing) {
  const auto executor = std::make_unique<RankProcesses>(root_ / "no-such-worker");
  const auto ranks = start_all(*executor, folder_, request());
  ASSERT_FALSE(ranks.ok());
  EXPECT_EQ(ranks.error().code, ErrorCode::kIo);
  EXPECT_EQ(ranks.error().message, fmt::format("rank 0 of attempt 00112233aabbccdd: cannot execute "
                                               "{}: No such file or directory",
                                               (root_ / "no-such-worker").string()));
  EXPECT_TRUE(has_no_children());
}

TEST_F(Start, SaysThatTheProgramIsNotOne) {
  write("text", "just text\n");
  RankProcesses executor(root_ / "text");
  const auto ranks = start_all(executor, folder_, request());
  ASSERT_FALSE(ranks.ok());
  EXPECT_THAT(ranks.error().message,
              AllOf(HasSubstr((root_ / "text").string()), HasSubstr("Permission denied")));
}

TEST_F(Start, SaysWhichFileCannotBeWritten) {
  const auto executor = std::make_unique<RankProcesses>(script("exit 0"));
  const auto gone = start_all(*executor, AttemptFolder(root_ / "gone"), request());
  ASSERT_FALSE(gone.ok());
  EXPECT_THAT(gone.error().message, AllOf(HasSubstr((root_ / "gone/log.0.txt").string()),
                                          HasSubstr("No such file or directory")));
  std::filesystem::create_directory(folder_.pid(0));
  const auto taken = start_all(*executor, folder_, request());
  ASSERT_FALSE(taken.ok());
  EXPECT_THAT(taken.error().message,
              AllOf(HasSubstr(folder_.pid(0).string()), HasSubstr("Is a directory")));
  EXPECT_TRUE(has_no_children());
}

TEST_F(Start, SaysWhichCoresAreNotThere) {
  AttemptRequest beyond = request();
  beyond.lease.ranks[0].cores = {100'000};
  RankProcesses executor(script("exit 0"));
  const auto ranks = start_all(executor, folder_, beyond);
  ASSERT_FALSE(ranks.ok());
  EXPECT_THAT(ranks.error().message, HasSubstr("cannot bind to cores 100000: Invalid argument"));
}

TEST_F(Start, StartsAllRanksOfAGang) {
  const auto executor =
      std::make_unique<RankProcesses>(script("echo $RANK of $WORLD_SIZE; exit $RANK"));
  auto ranks = start_all(*executor, folder_, request(3));
  ASSERT_TRUE(ranks.ok()) << ranks.error().message;
  ASSERT_EQ(ranks->size(), 3U);
  for (int rank = 0; rank < 3; ++rank) {
    RankProcess& process = ranks->at(static_cast<std::size_t>(rank));
    EXPECT_EQ(process.rank, rank);
    EXPECT_TRUE(process.child);
    ASSERT_TRUE(ends(process.pidfd));
    EXPECT_EQ(executor->reap(process).code, rank);
    EXPECT_EQ(read(folder_.log(rank)), fmt::format("{} of 3\n", rank));
  }
}

TEST_F(Start, LeavesNoRankBehindWhenOneCannotStart) {
  std::filesystem::create_directory(folder_.log(2));  // rank 2 cannot open its log
  const auto executor = std::make_unique<RankProcesses>(script("exec sleep 1000"));
  const auto ranks = start_all(*executor, folder_, request(3));
  ASSERT_FALSE(ranks.ok());
  EXPECT_THAT(ranks.error().message, HasSubstr("rank 2 of attempt 00112233aabbccdd"));
  EXPECT_TRUE(has_no_children());
  EXPECT_FALSE(std::filesystem::exists(folder_.pid(0)));
  const FoundRanks found = executor->adopt(folder_, 3);
  EXPECT_TRUE(found.incomplete && found.alive.empty());
}

TEST_F(Start, ReapDoesNotWait) {
  const auto executor = std::make_unique<RankProcesses>(script("exec sleep 1000"));
  auto ranks = start_all(*executor, folder_, request());
  ASSERT_TRUE(ranks.ok()) << ranks.error().message;
  RankProcess& process = ranks->at(0);
  const ExitStatus early = executor->reap(process);
  EXPECT_FALSE(early.code || early.signal);
  executor->signal(process, SIGTERM);
  ASSERT_TRUE(ends(process.pidfd));
  EXPECT_EQ(executor->reap(process).signal, SIGTERM);
}

}  // namespace
}  // namespace sweepd
