// Tests which command lines start their own ranks, and the warning about them.
#include "runner/model/sweep/launcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sweepd {
namespace {

WorkloadDef command_def() {
  WorkloadDef def;
  for (const char* name : {"argv", "interpreter", "env"}) {
    ParamDef param;
    param.name = name;
    param.type = ValueType::kText;
    param.default_value = std::string();
    def.params.push_back(std::move(param));
  }
  return def;
}

std::string warning_of(const std::string& argv, const std::string& interpreter = "",
                       const std::string& env = "") {
  return launcher_warning(command_def(), {{argv, interpreter, env}});
}

TEST(LauncherWarning, OfWhatStartsRanksOfItsOwn) {
  for (const char* argv :
       {"torchrun --nproc_per_node 2 train.py", "/opt/venv/bin/torchrun train.py",
        "{python} -m torch.distributed.run train.py", "mpirun -n 2 ./a.out",
        "accelerate launch train.py"}) {
    EXPECT_NE(warning_of(argv), "") << argv;
    EXPECT_EQ(warning_of(argv, "", "A=1 OMP_NUM_THREADS=1"), "") << argv;
  }
  EXPECT_THAT(warning_of("train.py", "torchrun --nproc_per_node 2"),
              testing::StartsWith("each rank that `torchrun` starts inherits OMP_NUM_THREADS"));
  for (const char* argv : {"python3 train.py", "./torchrun.py", "echo 'torchrun it'", "'"}) {
    EXPECT_EQ(warning_of(argv), "") << argv;
  }
  EXPECT_EQ(launcher_warning(WorkloadDef(), Trial()), "") << "no command";
}

}  // namespace
}  // namespace sweepd
