#include "runner/base/started_as.h"

#include <gtest/gtest.h>
#include <stdlib.h>

namespace sweepd {
namespace {

namespace fs = std::filesystem;

TEST(StartedAs, AnEmptyVariableIsNone) {
  ::unsetenv("SWEEPD_TEST_VARIABLE");
  EXPECT_EQ(variable_or("SWEEPD_TEST_VARIABLE", "other"), "other");
  ::setenv("SWEEPD_TEST_VARIABLE", "", 1);
  EXPECT_EQ(variable_or("SWEEPD_TEST_VARIABLE", "other"), "other");
  ::setenv("SWEEPD_TEST_VARIABLE", "own", 1);
  EXPECT_EQ(variable_or("SWEEPD_TEST_VARIABLE", "other"), "own");
  ::unsetenv("SWEEPD_TEST_VARIABLE");
}

TEST(StartedAs, TheCacheIsInTheFirstFolderThatIsSet) {
  const std::string home = variable_or("HOME", "");
  ::setenv("SWEEPD_CACHE", "/own", 1);
  ::setenv("XDG_CACHE_HOME", "/caches", 1);
  EXPECT_EQ(cache_folder(), "/own");
  ::unsetenv("SWEEPD_CACHE");
  EXPECT_EQ(cache_folder(), "/caches/sweepd");
  ::unsetenv("XDG_CACHE_HOME");
  EXPECT_EQ(cache_folder(), home + "/.cache/sweepd");
}

TEST(StartedAs, FilesAreFoundInTheNearestFolderAbove) {
  const fs::path self = fs::read_symlink("/proc/self/exe");
  const std::string name = self.filename().string(), from_above = "bin/" + name;
  EXPECT_EQ(installed_file({"no-such-file", name.c_str()}), self);
  EXPECT_EQ(installed_file({from_above.c_str()}), self.parent_path().parent_path() / from_above);
  EXPECT_EQ(installed_file({"no-such-file"}), fs::path());
}

}  // namespace
}  // namespace sweepd
