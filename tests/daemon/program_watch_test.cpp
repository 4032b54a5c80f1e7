#include "runner/daemon/program_watch.h"

#include <gtest/gtest.h>

#include <fstream>

#include "runner/base/ids.h"

namespace sweepd {
namespace {

namespace fs = std::filesystem;

class ProgramWatchTest : public testing::Test {
 protected:
  ProgramWatchTest() {
    fs::create_directory(folder_);
    write(program_);
  }
  ~ProgramWatchTest() override { fs::remove_all(folder_); }

  static void write(const fs::path& file) { std::ofstream(file) << "a program"; }
  void replace() {
    write(folder_ / "new");
    fs::rename(folder_ / "new", program_);
  }

  fs::path folder_ = fs::temp_directory_path() / ("sweepd-program-" + random_id());
  fs::path program_ = folder_ / "sweepd";
};

TEST_F(ProgramWatchTest, TheSameFileStopsNothing) {
  ProgramWatch watch(program_);
  fs::last_write_time(program_, fs::file_time_type::min());
  EXPECT_FALSE(watch.should_stop(true));
}

TEST_F(ProgramWatchTest, ABusyDaemonOutlivesANewVersion) {
  ProgramWatch watch(program_);
  replace();
  for (int i = 0; i < 2 * ProgramWatch::kGoneChecks; ++i) EXPECT_FALSE(watch.should_stop(false));
  EXPECT_TRUE(watch.should_stop(true));
}

TEST_F(ProgramWatchTest, ABusyDaemonStopsIfTheProgramStaysAway) {
  ProgramWatch watch(program_);
  fs::remove_all(folder_);
  for (int i = 1; i < ProgramWatch::kGoneChecks; ++i) EXPECT_FALSE(watch.should_stop(false));
  EXPECT_TRUE(watch.should_stop(false));
}

TEST_F(ProgramWatchTest, AnUpgradeMayRemoveTheFileForAMoment) {
  ProgramWatch watch(program_);
  const fs::path aside = folder_ / "aside";  // pip moves it, and back if the upgrade fails
  fs::rename(program_, aside);
  for (int i = 1; i < ProgramWatch::kGoneChecks; ++i) EXPECT_FALSE(watch.should_stop(false));
  fs::rename(aside, program_);
  EXPECT_FALSE(watch.should_stop(true));
  fs::remove(program_);
  EXPECT_FALSE(watch.should_stop(false)) << "it counts from the start again";
  EXPECT_TRUE(watch.should_stop(true));
}

TEST_F(ProgramWatchTest, WithoutAProgramItStopsNothing) {
  ProgramWatch none{fs::path()};
  EXPECT_FALSE(none.should_stop(true));
}

}  // namespace
}  // namespace sweepd
