// Tests the profile pass with the real worker: rows, tables, trace, verdict.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/e2e/sandbox.h"

#if SWEEPD_WITH_TORCH

namespace sweepd::e2e {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Profile : public testing::Test {
 protected:
  void SetUp() override {
    const Ran ran = box.ctl({"submit", "-", "--wait"}, R"(sweep: profiled
workload: lm_step
passes: [timing, profile]
params: {model: tiny, context: 32, batch: 2, mode: train_step, steps: 2, warmup: 1}
)");
    ASSERT_EQ(ran.exit_code, 0) << ran.err;
    profile = box.sql("select uid from attempt where pass = 'profile'");
    timing = box.sql("select uid from attempt where pass = 'timing'");
  }
  std::string value(const std::string& query) const { return box.sql(query); }

  const Sandbox box{SWEEP_WORKER};
  std::string profile, timing;
};

TEST_F(Profile, StoresKernelsWithTheirClassesAndATraceThatNests) {
  EXPECT_EQ(value("select verdict from attempt where pass = 'profile'"), "valid")
      << value("select group_concat(reason, '; ') from attempt_reason");
  // A forward has 7L + 1 linear and 2L attention products, a backward twice that. L is 2.
  EXPECT_EQ(value("select sum(calls) from kernels where class = 'matmul' and phase = 'forward'"),
            "19");
  EXPECT_EQ(value("select sum(calls) from kernels where class = 'matmul' and phase = 'backward'"),
            "38");
  EXPECT_EQ(value("select sum(calls) from kernels where class = 'softmax' and range = "
                  "'attention.softmax' and phase = 'forward' and kernel = 'aten::_softmax'"),
            "2");
  EXPECT_EQ(value("select number from facts where name = 'profile.dropped_records'"), "0.0");
  EXPECT_EQ(value("select k.total > 0 and k.total / 1e6 <= f.number from (select sum(total_ns) as "
                  "total from kernels) k, facts f where f.name = 'profile.step_ms'"),
            "1");
  // The timing pass of the same trial stored nothing of this kind, because it observed nothing.
  EXPECT_EQ(value("select count(*) from kernels where attempt_uid = '" + timing + "'"), "0");
  EXPECT_EQ(value("select count(*) from facts where name like 'profile.%' and attempt_uid = '" +
                  timing + "'"),
            "0");
  EXPECT_EQ(value("select count(*) from samples where attempt_uid = '" + profile +
                  "' and metric = 'time'"),
            "0")
      << "no time of an observed step counts as a timing";
  std::ifstream file(box.state() / "runs" / profile / "trace.0.json");
  const auto trace = nlohmann::json::parse(file);
  int operators = 0, phases = 0;
  for (const auto& event : trace["traceEvents"]) {
    const std::string category = event.value("cat", "");
    operators += category == "operator" ? 1 : 0;
    phases += category == "phase" ? 1 : 0;
    if (category == "operator") {
      EXPECT_GE(event["dur"].get<double>(), 0);
    }
  }
  EXPECT_EQ(phases, 3);
  EXPECT_GT(operators, 100);
}

TEST_F(Profile, ShowPrintsTheTablesThatPeopleKnowAndNamesMistakes) {
  const Ran nsys = box.ctl({"show", profile, "--kernels", "--phase", "forward", "--top", "3"});
  EXPECT_EQ(nsys.exit_code, 0) << nsys.err;
  EXPECT_THAT(nsys.out, AllOf(HasSubstr("Time (%)"), HasSubstr("Instances"), HasSubstr("StdDev"),
                              HasSubstr("aten::"), HasSubstr("trace.0.json")));
  const Ran pytorch =
      box.ctl({"show", profile, "--kernels", "--layout", "pytorch", "--format", "md"});
  EXPECT_THAT(pytorch.out, AllOf(HasSubstr("Self CPU (%)"), HasSubstr("# of Calls"),
                                 HasSubstr("aten::linear"), Not(HasSubstr("CUDA"))));
  EXPECT_THAT(box.ctl({"show", profile, "--kernels", "--by", "range", "--format", "csv"}).out,
              AllOf(HasSubstr("attention.softmax"), HasSubstr("lm_head")));
  EXPECT_THAT(box.ctl({"show", profile, "--kernels", "--by", "class", "--format", "csv"}).out,
              AllOf(HasSubstr("matmul"), HasSubstr("optimizer")));
  EXPECT_EQ(box.ctl({"show", "profiled", "--kernels", "--phase", "forward", "--top", "3"}).out,
            nsys.out)
      << "a sweep with one profile means that one";
  EXPECT_THAT(box.ctl({"show", profile}).out, AllOf(HasSubstr("overhead"), HasSubstr("Kernels")));

  const Ran timed = box.ctl({"show", timing, "--kernels"});
  EXPECT_NE(timed.exit_code, 0);
  EXPECT_THAT(timed.err, HasSubstr("is of the timing pass; kernels are of the profile pass"));
  const Ran phase = box.ctl({"show", profile, "--kernels", "--phase", "forwards"});
  EXPECT_NE(phase.exit_code, 0);
  EXPECT_THAT(phase.err, AllOf(HasSubstr("`forwards`"), HasSubstr("forward")));
  EXPECT_NE(box.ctl({"show", profile, "--top", "3"}).exit_code, 0) << "--top needs --kernels";
}

}  // namespace
}  // namespace sweepd::e2e

#endif
