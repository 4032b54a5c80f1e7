// Tests that the log has what a program printed: while it runs, and when it is ended.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <sstream>

#include "runner/worker/run_attempt.h"
#include "tests/worker/attempt_files.h"

namespace sweepd {
namespace {

// As the worker of an attempt, whose standard output is the log.
void run_with_log(const std::filesystem::path& folder) {
  const int log = ::open((folder / "log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  ::dup2(log, STDOUT_FILENO);
  run_attempt(folder, 0, {Registry::instance(), make_device});
  ::_exit(0);  // what is not in the log by now is lost
}

std::string log_of(const AttemptFiles& files) {
  std::ostringstream text;
  text << std::ifstream(files.folder.path() / "log").rdbuf();
  return text.str();
}

AttemptFiles script_files(const std::string& script) {
  return AttemptFiles("command", {{"argv", "sh -c '" + script + "'"},
                                  {"reports", "nothing"},
                                  {"warmup", "0"},
                                  {"steps", "1"}});
}

TEST(CommandLogDeathTest, HasWhatAnEndedProgramPrinted) {
  const AttemptFiles files =
      script_files("echo first; kill -TERM $PPID; echo last; echo -n words; kill -KILL $$");
  EXPECT_EXIT(run_with_log(files.folder.path()), testing::KilledBySignal(SIGTERM), "");
  EXPECT_THAT(log_of(files), testing::HasSubstr("first\nlast\nwords\n"));
}

TEST(CommandLogDeathTest, HasItWhileTheProgramRuns) {
  const AttemptFiles files = script_files(
      "echo first; n=0; until grep -q first log; do sleep 0.01; n=$((n + 1)); "
      "test $n -lt 3000 || exit 1; done");
  EXPECT_EXIT(run_with_log(files.folder.path()), testing::ExitedWithCode(0), "");
  EXPECT_EQ(files.ending(), "done");
}

}  // namespace
}  // namespace sweepd
