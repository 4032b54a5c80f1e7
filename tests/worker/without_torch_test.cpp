#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "runner/worker/print_work.h"
#include "runner/worker/run_attempt.h"
#include "tests/worker/attempt_files.h"
#include "workloads/api/host_device.h"

namespace sweepd {
namespace {

using ::testing::HasSubstr;

// What packaging/sweep-worker says to the worker that stands in for the one with LibTorch.
class WithoutTorch : public testing::Test {
 protected:
  WithoutTorch() { ::setenv("SWEEPD_WITHOUT_TORCH", "pip install 'sweepd[torch]'", 1); }
  ~WithoutTorch() override { ::unsetenv("SWEEPD_WITHOUT_TORCH"); }
};

TEST_F(WithoutTorch, ATrialThatNeedsItIsSkipped) {
  AttemptFiles files("lm_step", {});
  EXPECT_EQ(run_attempt(files.folder.path(), 0, {Registry::instance(), make_device}), kExitOk);
  EXPECT_EQ(files.ending(), "skipped: `lm_step` needs LibTorch: pip install 'sweepd[torch]'");
}

TEST_F(WithoutTorch, AnotherTrialRuns) {
  AttemptFiles files("fault", {{"kind", "done"}});
  run_attempt(files.folder.path(), 0, {Registry::instance(), make_device});
  EXPECT_EQ(files.ending(), "done");
}

TEST_F(WithoutTorch, AFormulaNamesIt) {
  EXPECT_THAT(work_line(Registry::instance(), R"({"workload":"lm_step","params":{}})"),
              HasSubstr("`lm_step` needs LibTorch: pip install"));
}

}  // namespace
}  // namespace sweepd
