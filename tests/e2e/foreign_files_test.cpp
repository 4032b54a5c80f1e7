// Tests files that other users named or created, and the permissions of ours.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr auto kOne = "sweep: one\nworkload: noop\nparams: {steps: 1}\n";
constexpr auto kTwoPrograms =
    "sweep: two\nworkload: command\nparams: {argv: 'true', reports: nothing, steps: 1}\n"
    "matrix: {warmup: [0, 1]}\n";

void make_fifo(const fs::path& path) {
  fs::remove(path);
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0) << path;
}

// The pipe has no writer, so a blocking read would never return.
TEST(Fifo, AsASweepFileIsRefusedAndOneThatAShellWritesToIsRead) {
  const Sandbox box;
  make_fifo(box.folder() / "pipe.yaml");
  const Ran refused = box.ctl({"submit", box.folder() / "pipe.yaml"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("is a FIFO; expected a sweep file, or - for standard input"));
  const std::string sweep = box.write("one.yaml", kOne);
  const Ran ran = box.run(
      "/bin/bash",
      {"-c", std::string(SWEEPCTL) + " submit --wait <(sed 's/one/" + "piped/' " + sweep + ")"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(box.sql("select name from sweep"), "piped");
}

TEST(Fifo, AsLogJournalOrCatalogIsNotReadFrom) {
  const Sandbox box;
  ASSERT_EQ(box.ctl({"submit", "-", "--wait"}, kOne).exit_code, 0);
  const std::string attempt = box.sql("select uid from attempt");
  make_fifo(box.state() / "runs" / attempt / "log.0.txt");
  const Ran log = box.ctl({"log", attempt});
  EXPECT_EQ(log.exit_code, 2);
  EXPECT_THAT(log.err, HasSubstr("is a FIFO"));

  // As if the daemon had died while the attempt ran, and its folder had been changed since.
  box.ctl({"stop"});
  make_fifo(box.state() / "catalog.json");
  make_fifo(box.state() / "runs" / attempt / "events.0.ndjson");
  make_fifo(box.state() / "runs" / attempt / "status.0");
  ASSERT_EQ(box.run("/usr/bin/sqlite3",
                    {box.state() / "results.db",
                     "update attempt set outcome = null, ended_ns = null, verdict = null"})
                .exit_code,
            0);
  EXPECT_EQ(box.ctl({"watch", "one"}).exit_code, 4) << "ended, and not done";
  EXPECT_EQ(box.sql("select outcome from attempt"), "crashed");
  EXPECT_TRUE(fs::is_regular_file(box.state() / "catalog.json")) << "it is made again";
}

// A database of another version is read in a copy. At a terminal signals reach both processes.
TEST(ReadFile, LeavesNoCopyWhateverEndsIt) {
  const Sandbox box;
  const std::string old = (box.folder() / "old.db").string();
  std::stringstream first;
  first << std::ifstream(FROZEN "/0001.sql").rdbuf();
  SQLite::Database(old, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec(first.str());
  const auto copies = box.folder() / "tmp";
  std::filesystem::create_directory(copies);
  for (const int signal : {0, SIGINT, SIGTERM, SIGHUP}) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::setenv("TMPDIR", copies.c_str(), 1);
      ::dup2(ends[1], STDIN_FILENO);
      ::execl(SWEEPD, SWEEPD, "--read", old.c_str(), nullptr);
      ::_exit(127);
    }
    ::close(ends[1]);
    const std::string request = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"list\"}\n";
    EXPECT_GT(::write(ends[0], request.data(), request.size()), 0);
    char answer = 0;
    EXPECT_EQ(::read(ends[0], &answer, 1), 1);
    EXPECT_FALSE(std::filesystem::is_empty(copies)) << "it needs a copy";
    if (signal != 0) ::kill(pid, signal);
    ::close(ends[0]);
    EXPECT_EQ(::waitpid(pid, nullptr, 0), pid);
    EXPECT_TRUE(std::filesystem::is_empty(copies)) << signal;
  }
}

TEST(Umask, NothingIsOpenToOthers) {
  const Sandbox box;
  const mode_t before = ::umask(0);
  const Ran ran = box.ctl({"submit", "-", "--wait"}, kOne);
  ::umask(before);
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  int seen = 0;
  for (const auto& entry : fs::recursive_directory_iterator(box.state())) {
    ++seen;
    struct stat info {};
    ASSERT_EQ(::lstat(entry.path().c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0077, 0U) << entry.path();
  }
  EXPECT_GT(seen, 8);
}

TEST(SweepFile, AFileThatIsTooLargeGetsADiagnostic) {
  const Sandbox box;
  for (const std::size_t size : {std::size_t{1} << 20, std::size_t{5} << 20}) {
    const std::string file = box.write("large.yaml", "#" + std::string(size, 'x') + "\n");
    const Ran ran = box.ctl({"submit", file});
    EXPECT_EQ(ran.exit_code, 2);
    EXPECT_THAT(ran.err, AllOf(HasSubstr("large.yaml:1:1: error: the file has more than 1048576"),
                               Not(HasSubstr("a line may be"))));
  }
  const Ran binary = box.ctl({"submit", box.write("binary", std::string(1 << 20, '\1'))});
  EXPECT_EQ(binary.exit_code, 2);
  EXPECT_THAT(binary.err, HasSubstr("full of control characters"));
}

TEST(SetOfSeveralFiles, ChangesThoseThatHaveTheParameter) {
  const Sandbox box;
  const std::string noop = box.write("noop.yaml", kOne);
  const std::string programs = box.write("programs.yaml", kTwoPrograms);
  const Ran none = box.ctl({"submit", noop, programs, "--set", "sise=4"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("none of the 2 files has a parameter `sise`"));
  const Ran wrong = box.ctl({"submit", noop, programs, "--set", "size=four"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("programs.yaml: --set"));
  EXPECT_EQ(box.sql("select count(*) from sweep"), "0") << "a mistake in one finds none queued";

  for (const char* verb : {"plan", "submit"}) {
    const Ran ran = box.ctl({verb, noop, programs, "--set", "size=4", "--set", "steps=2"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_THAT(ran.err, AllOf(HasSubstr("noop.yaml` has no parameter `size`: --set size does not "
                                         "change it"),
                               Not(HasSubstr("steps")), Not(HasSubstr("programs.yaml"))));
  }
  EXPECT_EQ(box.sql("select count(*) from params_command where size = 4 and steps = 2"), "2");
  EXPECT_EQ(box.sql("select count(*) from params_noop where steps = 2"), "1");
}

}  // namespace
}  // namespace sweepd::e2e
