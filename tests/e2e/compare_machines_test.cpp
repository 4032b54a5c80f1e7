// Tests `sweepctl compare` between two hosts, two devices and two databases.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr auto kTwoPoints =
    "sweep: quick\nworkload: fault\nparams: {kind: slow, warmup: 1, steps: 5, repeats: 2}\n"
    "matrix: {sleep: [1ms, 3ms]}\n";

// `alpha` has measured a sweep, and so has a machine called beta, with another CPU and build.
class TwoMachines : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "sweepd-beta-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    {
      const Sandbox beta;
      ASSERT_EQ(beta.ctl({"submit", "-", "--wait"}, kTwoPoints).exit_code, 0);
      beta.ctl({"stop"});
      fs::copy(beta.state(), folder_ / "state", fs::copy_options::recursive);
    }
    SQLite::Database(other(), SQLite::OPEN_READWRITE)
        .exec(
            "update host set uid = 'beta', hostname = 'beta';"
            "update device set uuid = 'beta', name = 'Other CPU';"
            "update environment set uid = 'beta' || uid, build_commit = 'another'");
    alpha_ = std::make_unique<Sandbox>();
    ASSERT_EQ(alpha_->ctl({"submit", "-", "--wait"}, kTwoPoints).exit_code, 0);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string other() const { return folder_ / "state" / "results.db"; }
  std::string host() const { return alpha_->sql("select hostname from host where uid <> 'beta'"); }
  // Compares, and expects two points of two attempts a side, and these differences between them.
  void expect_two_points(std::vector<std::string> arguments, const std::string& difference) {
    arguments.insert(arguments.begin(), "compare");
    const Ran text = alpha_->ctl(arguments);
    EXPECT_EQ(text.exit_code, 0) << text.err;
    EXPECT_THAT(text.out,
                AllOf(HasSubstr("geometric mean of the ratios of 2 points"), HasSubstr("2+2"),
                      HasSubstr(difference), HasSubstr("the sides also differ in build="),
                      HasSubstr(" against another: every ratio contains that too"),
                      Not(HasSubstr("only in"))));
  }

  std::unique_ptr<Sandbox> alpha_;  // made after beta has ended: a sandbox sets the environment
  fs::path folder_;
};

TEST_F(TwoMachines, HostsAndDevicesOfOneDatabase) {
  ASSERT_EQ(alpha_->ctl({"merge", other()}).exit_code, 0);
  expect_two_points({"quick", "--by", "host=" + host() + ",beta"},
                    "the sides differ in host=" + host() + " against beta, device_name=");
  expect_two_points({"--workload", "fault", "--by", "host=" + host() + ",beta"}, "host=beta");
  const Ran back = alpha_->ctl({"compare", "quick", "--by", "host=beta," + host()});
  EXPECT_THAT(back.out, HasSubstr("the sides differ in host=beta against " + host()));
  const Ran none = alpha_->ctl({"compare", "quick", "--by", "host=gamma,beta"});
  EXPECT_EQ(none.exit_code, 3);
  EXPECT_THAT(none.err, HasSubstr("by: no result has host `gamma`; there are "));
  const std::string own = alpha_->sql("select name from device where uuid <> 'beta'");
  expect_two_points({"quick", "--by", "device_name=" + own + ",Other CPU"},
                    "the sides differ in host=" + host() + " against beta, device_name=" + own +
                        " against Other CPU");
}

TEST_F(TwoMachines, Databases) {
  expect_two_points({"quick", "quick@" + other()},
                    "the sides differ in host=" + host() + " against beta");
  expect_two_points({"quick", "quick@" + fs::relative(folder_ / "state").string()},
                    "quick@results.db against quick");
  const Ran back = alpha_->ctl({"compare", "quick@" + other(), "quick"});
  EXPECT_THAT(back.out, HasSubstr("host=beta against " + host()));
  const std::string own = alpha_->state() / "results.db";
  const Ran both = alpha_->ctl({"compare", "quick@" + own, "quick@" + other()});
  EXPECT_THAT(both.out, AllOf(HasSubstr("quick@" + other()), HasSubstr("quick@" + own)))
      << "files of one name are told apart by their paths";
  EXPECT_EQ(alpha_->sql("select count(*) from attempt"), "4") << "nothing is merged";
  ASSERT_EQ(alpha_->ctl({"stop"}).exit_code, 0);
  expect_two_points({"quick", "quick@" + other(), "--db", own}, "host=");
}

TEST_F(TwoMachines, MistakesAboutDatabasesAreNamed) {
  const auto compare = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "compare");
    return alpha_->ctl(arguments);
  };
  const Ran missing = compare({"quick", "quick@/nowhere/results.db"});
  EXPECT_EQ(missing.exit_code, 3);
  EXPECT_THAT(missing.err, HasSubstr("/nowhere/results.db: it does not exist"));
  EXPECT_THAT(compare({"quick", "quik@" + other()}).err,
              AllOf(HasSubstr("database " + other()), HasSubstr("did you mean `quick`?")));
  EXPECT_THAT(
      compare({"quick@" + other(), "--by", "sleep=1ms,3ms"}).err,
      AllOf(HasSubstr("two values are compared in one database"), HasSubstr("--db " + other())));
  EXPECT_THAT(compare({"quick", "@" + other()}).err, HasSubstr("expected SWEEP@FILE"));
  EXPECT_THAT(compare({"quick", "quick@"}).err, HasSubstr("expected SWEEP@FILE"));
  SQLite::Database(other(), SQLite::OPEN_READWRITE).exec("pragma user_version = 9999");
  EXPECT_THAT(compare({"quick", "quick@" + other()}).err,
              AllOf(HasSubstr("database " + other()), HasSubstr("newer")));
}

}  // namespace
}  // namespace sweepd::e2e
