// Tests the names of devices.
#include "runner/daemon/serving/device_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sweepd {
namespace {

using testing::ElementsAre;

DeviceInfo device(const std::string& kind, int index, const std::string& uuid) {
  DeviceInfo device;
  device.kind = kind;
  device.index = index;
  device.uuid = uuid;
  return device;
}

TEST(DeviceNames, FindEachDeviceOnce) {
  const std::vector<DeviceInfo> all{device("cpu", 0, "host"), device("cuda", 0, "GPU-a"),
                                    device("cuda", 1, "GPU-b")};
  const auto found = [&](const std::vector<std::string>& names) {
    std::vector<std::string> uuids;
    const auto devices = find_devices(all, names);
    if (!devices) return std::vector<std::string>{devices.error().message};
    for (const DeviceInfo& each : *devices) uuids.push_back(each.uuid);
    return uuids;
  };
  EXPECT_THAT(found({"cpu"}), ElementsAre("host"));
  EXPECT_THAT(found({"cuda:1", "cpu", "cuda:1"}), ElementsAre("GPU-b", "host"));
  EXPECT_THAT(found({"cuda", "cuda:0"}), ElementsAre("GPU-a", "GPU-b"));
  EXPECT_THAT(found({"cpu", "cuda:2"}),
              ElementsAre("this machine has no device `cuda:2`; it has cpu, cuda:0, cuda:1"));
}

TEST(DeviceNames, OfThoseOnWhichNothingStarts) {
  Machine machine;
  machine.gpus.push_back({3, "GPU-d", "H200", {}, {}});
  machine.gpus.push_back({4, "GPU-e", "H200", {}, {}});
  const IdleDevices idle =
      idle_devices({{"cpu", "host", {}},
                    {"cuda", "GPU-d", {}},
                    {"cuda", "GPU-gone", {}},
                    {"cuda", "GPU-e", WallTime{7}, "fallen off the bus", "0123"}},
                   machine);
  EXPECT_THAT(idle.paused, ElementsAre("cpu", "cuda:3", "GPU-gone"));
  ASSERT_EQ(idle.out_of_service.size(), 1U) << "not paused by anybody";
  EXPECT_EQ(idle.out_of_service[0].device, "cuda:4");
  EXPECT_EQ(idle.out_of_service[0].fault, "fallen off the bus");
  EXPECT_EQ(idle.out_of_service[0].attempt, "0123");
  EXPECT_EQ(idle.out_of_service[0].since, WallTime{7});
}

}  // namespace
}  // namespace sweepd
