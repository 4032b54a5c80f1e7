#include "runner/base/worker_program.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace sweepd {
namespace {

namespace fs = std::filesystem;

TEST(WorkerProgram, IsTheOneWithTorchWhereThatPackageIsInstalled) {
  char name[] = "/tmp/sweepd-worker-XXXXXX";
  ASSERT_NE(::mkdtemp(name), nullptr);
  const fs::path prefix = name;
  EXPECT_EQ(worker_of(prefix / "bin"), prefix / "bin/sweep-worker");
  fs::create_directories(prefix / "lib/sweepd/torch/bin");
  std::ofstream(prefix / "lib/sweepd/torch/bin/sweep-worker") << "#!/bin/sh\n";
  EXPECT_EQ(worker_of(prefix / "bin"), prefix / "lib/sweepd/torch/bin/sweep-worker");
  fs::remove_all(prefix);
}

TEST(WorkerProgram, TheLightOneIsBesideTheOther) {
  char name[] = "/tmp/sweepd-worker-XXXXXX";
  ASSERT_NE(::mkdtemp(name), nullptr);
  const fs::path folder = name;
  EXPECT_EQ(light_worker_of(folder / "sweep-worker"), "");
  std::ofstream(folder / "sweep-worker-light") << "#!/bin/sh\n";
  EXPECT_EQ(light_worker_of(folder / "sweep-worker"), folder / "sweep-worker-light");
  EXPECT_EQ(light_worker_of(folder / "my-worker"), "");
  fs::remove_all(folder);
}

}  // namespace
}  // namespace sweepd
