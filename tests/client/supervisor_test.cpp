#include "runner/client/doctor/supervisor.h"

#include <gtest/gtest.h>

namespace sweepd {
namespace {

using namespace std::string_literals;

const std::string kEnvironment = "HOME=/home/me\0JOURNAL_STREAM=8:4711\0SYSTEMD_EXEC_PID=42\0"s;
const std::string kCgroup =
    "0::/user.slice/user-1000.slice/user@1000.service/app.slice/sweepd.service\n";

TEST(Supervisor, IsTheUnitOfTheProcessThatSystemdStarted) {
  const Supervisor found = supervisor_of(kEnvironment, kCgroup, 42, "8:4711");
  EXPECT_EQ(found.unit, "sweepd.service");
  EXPECT_TRUE(found.journal);
  EXPECT_EQ(journal_command(found), "journalctl --user-unit sweepd.service");
}

TEST(Supervisor, IsNotTheServiceWhoseChildStartedIt) {
  EXPECT_EQ(supervisor_of(kEnvironment, "0::/system.slice/jupyter.service\n", 43, "8:4711").unit,
            "");
  EXPECT_EQ(supervisor_of("HOME=/home/me\0"s, kCgroup, 42, "").unit, "");
}

TEST(Supervisor, MayBeTheMachines) {
  const Supervisor found =
      supervisor_of(kEnvironment, "0::/system.slice/sweepd.service\n", 42, "8:4711");
  EXPECT_EQ(journal_command(found), "journalctl -u sweepd.service");
}

TEST(Supervisor, IsFoundInTheOlderHierarchies) {
  const Supervisor found = supervisor_of(
      kEnvironment, "4:cpu:/\n1:name=systemd:/user.slice/user@1000.service/sweepd.service\n0::/\n",
      42, "8:4711");
  EXPECT_EQ(found.unit, "sweepd.service");
  EXPECT_TRUE(found.of_user);
}

TEST(Supervisor, KeepsTheJournalOnlyWhileStandardErrorIsIts) {
  EXPECT_FALSE(supervisor_of(kEnvironment, kCgroup, 42, "8:4712").journal);
  EXPECT_FALSE(supervisor_of(kEnvironment, kCgroup, 42, "").journal);
}

}  // namespace
}  // namespace sweepd
