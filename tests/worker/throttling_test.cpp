// Tests that an attempt says how often the control group's CPU quota stopped it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "runner/worker/run_attempt.h"
#include "tests/worker/attempt_files.h"
#include "tests/worker/fake_device.h"

namespace sweepd {
namespace {

// A device that runs until the quota is used up twice.
class ThrottledDevice final : public FakeDevice {
 public:
  explicit ThrottledDevice(const TempFolder& root) : root_(root) { count(100, 7); }
  DeviceState state() override {
    if (asked_++ == 1) count(174, 9);
    return FakeDevice::state();
  }

 private:
  void count(int periods, int throttled) const {
    const auto group = root_.path() / "sys/fs/cgroup";
    std::filesystem::create_directories(group);
    std::ofstream(group / "cpu.stat") << "usage_usec 1\nnr_periods " << periods << "\nnr_throttled "
                                      << throttled << "\nthrottled_usec 5\n";
  }
  const TempFolder& root_;
  int asked_ = 0;
};

TEST(Throttling, SaysHowOftenTheQuotaWasUsedUp) {
  const TempFolder root;
  std::filesystem::create_directories(root.path() / "proc/self");
  std::ofstream(root.path() / "proc/self/cgroup") << "0::/\n";
  const char* const pretended = std::getenv("SWEEPD_CORES_LOST");
  const std::string before = pretended == nullptr ? "" : pretended;
  for (const bool pretends : {false, true}) {
    AttemptFiles files("fault", {});
    WorkerParts parts{Registry::instance(), [&](const DeviceOptions&) {
                        return std::make_unique<ThrottledDevice>(root);
                      }};
    parts.root = root.path();
    pretends ? ::setenv("SWEEPD_CORES_LOST", "0", 1) : ::unsetenv("SWEEPD_CORES_LOST");
    EXPECT_EQ(run_attempt(files.folder.path(), 0, parts), kExitOk);
    const auto states = files.all<StateEvent>();
    ASSERT_EQ(states.size(), 2U);
    EXPECT_EQ(states[0].record.throttled_periods, std::nullopt);
    EXPECT_EQ(states[1].record.quota_periods, pretends ? std::nullopt : std::optional(74));
    EXPECT_EQ(states[1].record.throttled_periods, pretends ? std::nullopt : std::optional(2));
  }
  pretended == nullptr ? ::unsetenv("SWEEPD_CORES_LOST")
                       : ::setenv("SWEEPD_CORES_LOST", before.c_str(), 1);
}

}  // namespace
}  // namespace sweepd
