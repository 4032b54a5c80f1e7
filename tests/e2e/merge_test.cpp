// Results of another machine are read from its file and merged into ours.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr auto kQuickTrials =
    "sweep: quick\nworkload: noop\nmatrix: {steps: [2, 3]}\n"
    "tables: [{title: Steps, rows: [steps], columns: [host], cell: \"{n}\"}]\n";

// The state folder of a machine called beta that has measured `quick` and was switched off.
class Elsewhere : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "sweepd-beta-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    const Sandbox beta;
    ASSERT_EQ(beta.ctl({"submit", "-", "--wait"}, kQuickTrials).exit_code, 0);
    beta.ctl({"stop"});
    fs::copy(beta.state(), state(), fs::copy_options::recursive);
    SQLite::Database(database(), SQLite::OPEN_READWRITE)
        .exec(
            "update host set uid = 'beta', hostname = 'beta';"
            "update environment set uid = 'beta' || uid");
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder() const { return folder_; }
  fs::path state() const { return folder_ / "state"; }
  std::string database() const { return state() / "results.db"; }

 private:
  fs::path folder_;
};

TEST_F(Elsewhere, MergesIntoOneTableWithAColumnAHostAndBringsLogs) {
  const Sandbox alpha;
  ASSERT_EQ(alpha.ctl({"submit", "-", "--wait"}, kQuickTrials).exit_code, 0);
  const Ran own = alpha.ctl({"merge", alpha.state() / "results.db"});
  EXPECT_EQ(own.exit_code, 2);
  EXPECT_THAT(own.err, HasSubstr("this daemon's own database"));
  EXPECT_EQ(alpha.ctl({"merge", "/nowhere/results.db"}).exit_code, 3);
  const Ran dry = alpha.ctl({"merge", database(), "--dry-run"});
  EXPECT_EQ(dry.exit_code, 0) << dry.err;
  EXPECT_THAT(dry.out, AllOf(HasSubstr("Would merge"), HasSubstr("results of beta")));
  EXPECT_EQ(alpha.sql("select count(*) from attempt"), "2");

  const Ran merged = alpha.ctl({"merge", database(), "--format", "csv"});
  EXPECT_EQ(merged.exit_code, 0) << merged.err;
  EXPECT_THAT(merged.out,
              AllOf(HasSubstr("sweeps,1,0"), HasSubstr("trials,0,2"), HasSubstr("attempts,2,0")));
  const Ran table = alpha.ctl({"query", "noop", "--rows", "steps", "--columns", "host", "--cell",
                               "{n}", "--format", "csv"});
  EXPECT_THAT(table.out, AllOf(HasSubstr("beta"), HasSubstr("2,2,2"), HasSubstr("3,3,3")));
  EXPECT_THAT(alpha.ctl({"merge", database(), "--format", "csv"}).out, HasSubstr("attempts,0,2"));

  EXPECT_THAT(alpha.ctl({"merge", state()}).out, HasSubstr("2 attempt folders"));
  const Ran log =
      alpha.ctl({"log", alpha.sql("select attempt_uid from attempts where host = 'beta'")});
  EXPECT_EQ(log.exit_code, 0) << log.err;
  EXPECT_THAT(log.out, HasSubstr("noop"));
  EXPECT_THAT(alpha.ctl({"merge", state()}).out, HasSubstr("0 attempt folders"));
}

// The other machine's folder points to a file of this one: by a link in an attempt's folder, by a
// folder that is a link, and by a folder with a chosen name.
TEST_F(Elsewhere, CopiesNothingThatALinkNames) {
  const Sandbox alpha;
  const std::string secret = alpha.write("secret", "of this machine");
  std::vector<fs::path> attempts;
  for (const auto& entry : fs::directory_iterator(state() / "runs")) attempts.push_back(entry);
  ASSERT_EQ(attempts.size(), 2u);
  fs::remove(attempts[0] / "log.0.txt");
  fs::create_symlink(secret, attempts[0] / "log.0.txt");
  fs::rename(attempts[1], state() / "aside");
  fs::create_symlink("/etc", attempts[1]);
  const Ran merged = alpha.ctl({"merge", state()});
  EXPECT_EQ(merged.exit_code, 0) << merged.err;
  EXPECT_THAT(merged.out, AllOf(HasSubstr("1 attempt folders"), HasSubstr("1 file left out")));
  const fs::path copied = alpha.state() / "runs" / attempts[0].filename();
  EXPECT_TRUE(fs::exists(copied / "request.json"));
  EXPECT_FALSE(fs::exists(fs::symlink_status(copied / "log.0.txt")));
  EXPECT_FALSE(fs::exists(fs::symlink_status(alpha.state() / "runs" / attempts[1].filename())));
}

TEST_F(Elsewhere, AnIdThatLeadsOutOfTheFolderIsRefused) {
  // The id begins as long as it must, and then leads up and out.
  SQLite::Database(database(), SQLite::OPEN_READWRITE)
      .exec("update attempt set uid = 'abcd/../../../outside' where row = 1");
  fs::create_directories(state() / "runs" / "abcd");
  fs::create_directories(folder() / "outside");
  std::ofstream(folder() / "outside" / "log.0.txt") << "a secret";
  const Sandbox alpha;
  const Ran log = alpha.ctl({"--db", database(), "log", "abcd"});
  EXPECT_EQ(log.exit_code, 2) << log.out << log.err;
  EXPECT_THAT(log.err, HasSubstr("expected hex digits as its id"));
  const Ran merged = alpha.ctl({"merge", state()});
  EXPECT_EQ(merged.exit_code, 2) << merged.out << merged.err;
  EXPECT_THAT(merged.err, AllOf(HasSubstr(database()), HasSubstr("Nothing is merged")));
}

TEST_F(Elsewhere, IsReadFromItsFileWithoutADaemonAndNotChanged) {
  const Sandbox here;
  const Ran list = here.ctl({"--db", database(), "list"});
  EXPECT_EQ(list.exit_code, 0) << list.err;
  EXPECT_THAT(list.out, HasSubstr("quick"));
  EXPECT_THAT(here.ctl({"report", "quick", "--db", state()}).out, HasSubstr("beta"));
  const Ran csv = here.ctl(
      {"--db", database(), "query", "noop", "--rows", "steps", "--cell", "{n}", "--format", "csv"});
  EXPECT_THAT(csv.out, AllOf(HasSubstr("2,2"), HasSubstr("3,3")));
  EXPECT_EQ(here.ctl({"--db", database(), "show", "quick"}).exit_code, 0);
  for (const std::vector<std::string>& verb : std::vector<std::vector<std::string>>{
           {"cancel", "quick"}, {"retry", "quick"}, {"status"}, {"stop"}}) {
    std::vector<std::string> arguments{"--db", database()};
    arguments.insert(arguments.end(), verb.begin(), verb.end());
    const Ran ran = here.ctl(arguments);
    EXPECT_EQ(ran.exit_code, 2) << verb[0] << ": " << ran.out << ran.err;
    EXPECT_THAT(ran.err, HasSubstr("`" + verb[0] + "` needs the daemon"));
  }
  const Ran missing = here.ctl({"--db", "/nowhere/results.db", "list"});
  EXPECT_EQ(missing.exit_code, 3);
  EXPECT_THAT(missing.err, HasSubstr("/nowhere/results.db: it does not exist"));
  const Ran text = here.ctl({"--db", here.write("notes.txt", std::string(2000, 'x')), "list"});
  EXPECT_EQ(text.exit_code, 1);
  EXPECT_THAT(text.err, AllOf(HasSubstr("notes.txt"), HasSubstr("not a database")));
  EXPECT_FALSE(fs::exists(here.state() / "lock")) << "no daemon was started";
}

}  // namespace
}  // namespace sweepd::e2e
