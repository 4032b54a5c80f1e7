// Tests what is recorded of where a program comes from.
#include "workloads/command/origin.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>

#include "runner/base/clock.h"
#include "workloads/command/ask_program.h"

namespace sweepd::command {
namespace {

namespace fs = std::filesystem;
using testing::MatchesRegex;
using testing::StartsWith;

class OriginTest : public testing::Test {
 protected:
  OriginTest() {
    std::string pattern = (fs::temp_directory_path() / "sweepd-origin-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    write("mm.sh", "echo 1");
  }
  ~OriginTest() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  bool git(std::vector<std::string> words) const {
    std::vector<std::string> argv{
        "git", "-C", folder_.string(), "-c", "user.name=test", "-c", "user.email=test@x"};
    argv.insert(argv.end(), words.begin(), words.end());
    return answer_of(argv, seconds(30)).has_value();
  }
  void commit_all() const {
    ASSERT_TRUE(git({"init", "-q"}));
    ASSERT_TRUE(git({"add", "-A"}));
    ASSERT_TRUE(git({"commit", "-q", "-m", "first"}));
  }
  Origin origin(std::vector<std::string> argv) const {
    return origin_of({std::move(argv), folder_, {}});
  }
  static bool there_is(const char* program) {
    return answer_of({program, "--version"}, seconds(10)).has_value();
  }
  static constexpr const char* kClean = "[0-9a-f]+";
  static constexpr const char* kDirty = "[0-9a-f]+-dirty";

  fs::path folder_;
};

TEST_F(OriginTest, IsTheCommitOfTheScriptsRepository) {
  if (!there_is("git")) GTEST_SKIP() << "no git";
  commit_all();
  EXPECT_THAT(origin({"bash", "mm.sh"}).commit, MatchesRegex(kClean));
  write("mm.sh", "echo 2");
  EXPECT_THAT(origin({"bash", "mm.sh"}).commit, MatchesRegex(kDirty));
}

TEST_F(OriginTest, AnotherChangedFileMakesTheTreeDirtyButResultsDoNot) {
  if (!there_is("git")) GTEST_SKIP() << "no git";
  write("lib.sh", "x=1");
  commit_all();
  write("results.csv", "1,2");
  EXPECT_THAT(origin({"bash", "mm.sh"}).commit, MatchesRegex(kClean));
  write("lib.sh", "x=2");
  EXPECT_THAT(origin({"bash", "mm.sh"}).commit, MatchesRegex(kDirty));
}

TEST_F(OriginTest, AScriptThatIsNotTrackedIsDirty) {
  if (!there_is("git")) GTEST_SKIP() << "no git";
  commit_all();
  write("new.sh", "echo 3");
  EXPECT_THAT(origin({"bash", "new.sh"}).commit, MatchesRegex(kDirty));
}

TEST_F(OriginTest, IsThatOfAProgramWithoutInterpreter) {
  if (!there_is("git")) GTEST_SKIP() << "no git";
  fs::permissions(folder_ / "mm.sh", fs::perms::owner_all);
  commit_all();
  EXPECT_THAT(origin({"./mm.sh", "data.txt"}).commit, MatchesRegex(kClean));
}

TEST_F(OriginTest, IsEmptyWithoutRepositoryOrCommit) {
  EXPECT_EQ(origin({"bash", "mm.sh"}).commit, "");
  if (!there_is("git")) GTEST_SKIP() << "no git";
  ASSERT_TRUE(git({"init", "-q"}));
  EXPECT_EQ(origin({"bash", "mm.sh"}).commit, "") << "nothing is committed";
}

TEST_F(OriginTest, AnotherRepositoryInTheEnvironmentDoesNotCount) {
  if (!there_is("git")) GTEST_SKIP() << "no git";
  commit_all();
  ::setenv("GIT_DIR", "/nowhere", 1);
  EXPECT_THAT(origin({"bash", "mm.sh"}).commit, MatchesRegex(kClean));
  ::unsetenv("GIT_DIR");
}

TEST_F(OriginTest, AnInterpreterWithAScriptSaysItsVersion) {
  EXPECT_THAT(origin({"bash", "mm.sh"}).interpreter, StartsWith("GNU bash"));
  EXPECT_EQ(origin({"bash", "-c", "exit"}).interpreter, "") << "no script";
  EXPECT_EQ(origin({"cat", "mm.sh"}).interpreter, "") << "no interpreter";
  EXPECT_EQ(origin({"no-such-program", "mm.sh"}).interpreter, "");
  if (there_is("python3")) {
    EXPECT_THAT(origin({"python3", "mm.sh"}).interpreter, StartsWith("Python 3"));
  }
}

TEST(AnswerOf, IsWhatAProgramPrints) {
  EXPECT_EQ(answer_of({"printf", " a b \n"}, seconds(30)), "a b");
  EXPECT_EQ(answer_of({"false"}, seconds(30)), std::nullopt);
  EXPECT_EQ(answer_of({"no-such-program"}, seconds(30)), std::nullopt);
}

TEST(AnswerOf, IsNothingOfAProgramThatHangs) {
  EXPECT_EQ(answer_of({"sleep", "1000"}, milliseconds(50)), std::nullopt);
  EXPECT_EQ(answer_of({"sh", "-c", "exec >&-; exec sleep 1000"}, milliseconds(50)), std::nullopt)
      << "nor where it closed its output";
}

}  // namespace
}  // namespace sweepd::command
