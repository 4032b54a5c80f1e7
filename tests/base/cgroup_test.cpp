// Tests reading a control group's CPU quota, of both versions. Its memory: tests/exec.
#include "runner/base/cgroup.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace sweepd {
namespace {

namespace fs = std::filesystem;

class CgroupCpu : public testing::Test {
 protected:
  CgroupCpu() {
    std::string name = (fs::temp_directory_path() / "sweepd-cgroup-XXXXXX").string();
    root_ = ::mkdtemp(name.data());
  }
  ~CgroupCpu() override { fs::remove_all(root_); }

  void write(const fs::path& relative, const std::string& text) const {
    fs::create_directories((root_ / relative).parent_path());
    std::ofstream(root_ / relative) << text;
  }
  std::optional<double> quota() const { return cgroup_cpu_quota(root_); }
  // "65 of 74", or "" if nothing is counted.
  std::string throttled() const {
    const auto all = cgroup_cpu_throttling(root_);
    return all ? std::to_string(all->throttled) + " of " + std::to_string(all->periods) : "";
  }

  fs::path root_;
};

TEST_F(CgroupCpu, TheSmallestQuotaOfAllAncestorsCounts) {
  write("proc/self/cgroup", "0::/user.slice/job-7\n");
  EXPECT_EQ(quota(), std::nullopt) << "no controller";
  write("sys/fs/cgroup/user.slice/job-7/cpu.max", "max 100000\n");
  EXPECT_EQ(quota(), std::nullopt);
  write("sys/fs/cgroup/user.slice/cpu.max", "400000 100000\n");
  EXPECT_EQ(quota(), 4);
  write("sys/fs/cgroup/user.slice/job-7/cpu.max", "30000 100000\n");
  EXPECT_EQ(quota(), 0.3);
  write("sys/fs/cgroup/cpu.max", "5000 20000\n");
  EXPECT_EQ(quota(), 0.25);
}

TEST_F(CgroupCpu, OfVersionOneIsInTwoFiles) {
  write("proc/self/cgroup", "5:cpu,cpuacct:/job\n4:cpuset:/other\n0::/\n");
  const std::vector<std::pair<std::string, std::string>> mounts{
      {"sys/fs/cgroup/cpu,cpuacct", "150000"}, {"sys/fs/cgroup/cpu", "250000"}};
  double expected = 1.5;
  for (const auto& [mount, quota_us] : mounts) {
    write(mount + "/cpu.cfs_quota_us", "-1\n");
    write(mount + "/cpu.cfs_period_us", "100000\n");
    write(mount + "/job/cpu.cfs_quota_us", quota_us + "\n");
    EXPECT_EQ(quota(), std::nullopt) << "a quota of no period";
    write(mount + "/job/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(quota(), expected) << mount;
    expected = 2.5;  // most systems have a link of this name
  }
}

// A container sees the host's path in /proc/self/cgroup, but its own group at the mount's root.
TEST_F(CgroupCpu, OfAContainerIsAtTheMountsRoot) {
  write("proc/self/cgroup", "4:cpu:/docker/0123abcd\n0::/docker/0123abcd\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "30000\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  write("sys/fs/cgroup/cpu/cpu.stat", "nr_periods 74\nnr_throttled 65\nthrottled_time 3000000\n");
  EXPECT_EQ(quota(), 0.3);
  EXPECT_EQ(throttled(), "65 of 74");
}

TEST_F(CgroupCpu, ThrottlingIsThatOfAllAncestors) {
  write("proc/self/cgroup", "0::/a/b\n");
  EXPECT_EQ(throttled(), "");
  write("sys/fs/cgroup/cpu.stat", "usage_usec 5\nuser_usec 5\n");  // the host's root counts none
  EXPECT_EQ(throttled(), "");
  write("sys/fs/cgroup/a/b/cpu.stat", "usage_usec 5\nnr_periods 74\nnr_throttled 65\n");
  EXPECT_EQ(throttled(), "65 of 74");
  write("sys/fs/cgroup/a/cpu.stat", "nr_periods 100\nnr_throttled 1\nthrottled_usec 7\n");
  EXPECT_EQ(throttled(), "66 of 174");
}

TEST_F(CgroupCpu, GarbageIsNoQuota) {
  for (const char* text : {"", "max", "x 100000", "30000", "0 100000", "30000 0", "-5 100000"}) {
    write("proc/self/cgroup", "nonsense\n:\n0::\n");
    write("sys/fs/cgroup/cpu.max", text);
    write("sys/fs/cgroup/cpu.stat", text);
    EXPECT_EQ(quota(), std::nullopt) << text;
    EXPECT_EQ(throttled(), "") << text;
  }
  EXPECT_EQ(cgroup_cpu_quota(root_ / "nowhere"), std::nullopt);
}

TEST(CoresWithinQuota, AreRoundedDownAndOneAtLeast) {
  EXPECT_EQ(cores_within_quota(2, std::nullopt), 2);
  EXPECT_EQ(cores_within_quota(2, 0.3), 1);
  EXPECT_EQ(cores_within_quota(8, 2.5), 2);
  EXPECT_EQ(cores_within_quota(8, 3.0), 3);
  EXPECT_EQ(cores_within_quota(2, 16.0), 2);
}

}  // namespace
}  // namespace sweepd
