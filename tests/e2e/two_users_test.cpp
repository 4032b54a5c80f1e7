// Two users of one machine, each with his own daemon.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

constexpr uid_t kOther = 65534;

class TwoUsers : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
    ::chmod(box_.folder().c_str(), 0755);
    fs::create_directory(home_);
    fs::create_directory(bin_);
    for (const char* program : {SWEEPCTL, SWEEPD, TEST_SWEEP_WORKER}) {
      fs::copy_file(program, bin_ / fs::path(program).filename());
    }
    ASSERT_EQ(::chown(home_.c_str(), kOther, kOther), 0);
  }
  void TearDown() override {
    if (::geteuid() == 0) other({"stop", "--now"}, home_ / "state");
  }
  // The other user's client's message on the daemon of this folder.
  Ran other(std::vector<std::string> arguments, const fs::path& state) const {
    const std::string id = std::to_string(kOther);
    std::vector<std::string> all{"--reuid=" + id,
                                 "--regid=" + id,
                                 "--clear-groups",
                                 "env",
                                 "HOME=" + home_.string(),
                                 "XDG_CONFIG_HOME=" + (home_ / "config").string(),
                                 "SWEEPD_STATE_DIR=" + state.string(),
                                 "SWEEPD_WORKER=" + (bin_ / "test-sweep-worker").string(),
                                 (bin_ / "sweepctl").string()};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return box_.run("/usr/bin/setpriv", all);
  }
  std::string sweep(const std::string& name) const {
    const std::string file =
        box_.write(name + ".yaml",
                   "sweep: " + name +
                       "\nworkload: noop\nparams: {warmup: 1}\nmatrix: {steps: [1, 2, 3, 4]}\n");
    ::chmod(file.c_str(), 0644);
    return file;
  }

  const Sandbox box_{};
  const fs::path home_ = box_.folder() / "home", bin_ = box_.folder() / "bin";
};

TEST_F(TwoUsers, SweepBesideEachOtherAndSeeTheirOwn) {
  ASSERT_EQ(box_.ctl({"submit", sweep("mine")}).exit_code, 0);
  const Ran ran = other({"submit", "--wait", sweep("theirs")}, home_ / "state");
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_EQ(box_.ctl({"watch", "mine"}).exit_code, 0);
  const std::string mine = box_.ctl({"list"}).out, theirs = other({"list"}, home_ / "state").out;
  EXPECT_THAT(mine, Not(HasSubstr("theirs")));
  EXPECT_THAT(theirs, Not(HasSubstr("mine")));
  EXPECT_THAT(theirs, HasSubstr("theirs"));
  // The first user's message says that the folder is the other's.
  const Ran told = other({"list"}, box_.state());
  EXPECT_NE(told.exit_code, 0);
  EXPECT_THAT(told.err, HasSubstr(box_.state().string()));
  EXPECT_THAT(told.out, Not(HasSubstr("mine")));
}

}  // namespace
}  // namespace sweepd::e2e
