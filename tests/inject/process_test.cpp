// What happens to the trace, and to the traced program, when processes fork, die and run out of
// disk.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <string>

#include "tests/inject/traced_run.h"

namespace sweepd {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Key;
using testing::SizeIs;

TEST(InjectKilled, SigkillLeavesAReadablePrefix) {
  const InjectedRun run = run_traced({"cuda", "many=1000", "wait=72000", "many=1000", "kill"});
  EXPECT_EQ(run.signal, SIGKILL);
  const trace::Injected& read = run.files.at("own");
  EXPECT_FALSE(read.ended);
  EXPECT_GE(read.timeline.work.size(), 990U);
  EXPECT_EQ(read.refusal, "");
}

TEST(InjectKilled, QuickExitKeepsWhatWasWritten) {
  const InjectedRun run = run_traced({"cuda", "many=1000", "wait=72000", "_exit=6"});
  EXPECT_EQ(run.exit_code, 6);
  EXPECT_FALSE(run.files.at("own").ended);
  EXPECT_GE(run.files.at("own").timeline.work.size(), 990U);
}

TEST(InjectProcess, ChildAfterCudaWritesNothing) {
  const InjectedRun run = run_traced({"cuda", "kernel=a", "fork", "kernel=b"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.files, ElementsAre(Key("own")));
  EXPECT_THAT(names_of_work(run.files.at("own").timeline), ElementsAre("a", "b"));
  EXPECT_THAT(run.files.at("own").timeline.ranges, IsEmpty());
  EXPECT_TRUE(run.files.at("own").ended);
}

TEST(InjectProcess, NoFileThatExistsIsWritten) {
  // Without %p each process would have the same.
  const InjectedRun run = run_traced({"cuda", "kernel=a"}, {{"SWEEPD_INJECT_FILE", SWEEPD_TRACED}});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run_traced({"exit=5"}).exit_code, 5);  // the program is whole
  std::remove(SWEEPD_TRACED ".1");
}

TEST(InjectDisk, FullDiskEndsTheTraceAndNotTheProgram) {
  const InjectedRun run =
      run_traced({"cuda", "many=2000", "wait=144000", "limit=150000", "many=5000", "exit=5"});
  EXPECT_EQ(run.signal, 0);  // of SIGXFSZ
  EXPECT_EQ(run.exit_code, 5);
  const trace::Injected& read = run.files.at("own");
  EXPECT_EQ(read.write_error, EFBIG);
  EXPECT_GE(read.timeline.work.size(), 1990U);
  EXPECT_LT(read.timeline.work.size(), 7000U);
}

TEST(InjectDisk, FullDiskFromTheStart) {
  const InjectedRun run = run_traced({"limit=0", "cuda", "many=2000", "exit=5"});
  EXPECT_EQ(run.signal, 0);
  EXPECT_EQ(run.exit_code, 5);
  EXPECT_THAT(run.files, IsEmpty());
}

TEST(InjectProcess, ProgramsFileWithOurDescriptorIsNotWritten) {
  const std::string mine = testing::TempDir() + "inject_mine." + std::to_string(::getpid());
  const InjectedRun run =
      run_traced({"cuda", "many=10", "reuse=" + mine, "many=10000", "require-empty", "exit=5"});
  EXPECT_EQ(run.exit_code, 5);
}

#if SWEEPD_HAVE_NVTX
TEST(InjectProcess, ChildWithoutCudaHasItsOwnFile) {
  const InjectedRun run = run_traced({"push=parent", "pop", "fork", "push=later", "pop"});
  EXPECT_EQ(run.exit_code, 0);
  ASSERT_THAT(run.files, SizeIs(2));
  for (const auto& [name, read] : run.files) {
    const auto expected = name == "own" ? std::vector<std::string>{"parent", "later"}
                                        : std::vector<std::string>{"child"};
    EXPECT_EQ(names_of_ranges(read.timeline), expected) << name;
  }
}

TEST(InjectProcess, ChildByCloneWritesNothing) {
  const InjectedRun run = run_traced({"push=parent", "pop", "clone"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.files, ElementsAre(Key("own")));
  EXPECT_THAT(names_of_ranges(run.files.at("own").timeline), ElementsAre("parent"));
}

TEST(InjectProcess, ProgramAfterExecHasItsOwnFile) {
  const InjectedRun run = run_traced({"push=before", "pop", "wait=100", "exec"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(names_of_ranges(run.files.at("own").timeline), ElementsAre("before"));
  EXPECT_THAT(names_of_ranges(run.files.at("own.1").timeline), ElementsAre("after"));
}

TEST(InjectProcess, ThreadsForksAndKernelsTogether) {
  const InjectedRun run = run_traced({"cuda", "hammer"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.files.at("own").timeline.ranges.size(), 4U * 2500U);
  EXPECT_EQ(run.files.at("own").timeline.work.size(), 8U);
  EXPECT_THAT(names_of_ranges(run.files.at("own").timeline), Each("busy"));
}

TEST(InjectProcess, RangesInASignalHandlerDoNotDeadlock) {
  const InjectedRun run =
      run_traced({"push=first", "pop", "signals", "exit=5"}, {{"SWEEPD_INJECT_RECORDS", "100000"}});
  EXPECT_EQ(run.exit_code, 5);
}

TEST(InjectProcess, CancelledThreadsKeepNoLock) {
  EXPECT_EQ(run_traced({"cancel", "exit=5"}, {{"SWEEPD_INJECT_RECORDS", "100000"}}).exit_code, 5);
}

TEST(InjectProcess, ErrnoStays) {
  EXPECT_EQ(run_traced({"cuda", "errno"}).exit_code, 0);
  EXPECT_EQ(run_traced({"limit=0", "errno"}).exit_code, 0);
}
#endif

}  // namespace
}  // namespace sweepd
