// Tests which differences make two machines different.
#include "runner/model/machine/machine_id.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace sweepd {
namespace {

using testing::ElementsAre;

struct MachineToday {
  HostInfo host;
  Machine machine;
  std::vector<DeviceInfo> devices;

  MachineToday() {
    host.id = "1234";
    host.cpu_model = "AMD EPYC 7763";
    host.sockets = 2;
    host.kernel = "6.1.0-1";
    host.os = "Debian 12";
    machine.cores = {0, 1, 2, 3};
    machine.memory = Bytes{65'864'200'192};
    devices.push_back(gpu("GPU-1"));
    devices.push_back(gpu("GPU-2"));
  }
  static DeviceInfo gpu(const std::string& uuid) {
    DeviceInfo gpu;
    gpu.kind = "cuda";
    gpu.uuid = uuid;
    gpu.name = "NVIDIA H200";
    gpu.memory = Bytes{150'754'820'096};
    gpu.driver = "550.54";
    gpu.compute_capability = "9.0";
    gpu.power_limit_watts = 700;
    gpu.ecc = true;
    return gpu;
  }
  MachineIds ids() const { return machine_ids(host, machine, devices); }
};

struct MachineCase {
  const char* what;
  std::function<void(MachineToday&)> change;
};

TEST(MachineId, WhatTheHostIsMakesAnotherOnEveryDevice) {
  const MachineIds before = MachineToday().ids();
  const MachineCase cases[] = {
      {"host", [](MachineToday& m) { m.host.id = "5678"; }},
      {"CPU", [](MachineToday& m) { m.host.cpu_model = "AMD EPYC 9654"; }},
      {"cores", [](MachineToday& m) { m.machine.cores.pop_back(); }},
      {"quota", [](MachineToday& m) { m.machine.cpu_quota = 0.3; }},
      {"sockets", [](MachineToday& m) { m.host.sockets = 1; }},
      {"memory", [](MachineToday& m) { m.machine.memory.value /= 2; }},
  };
  for (const MachineCase& one : cases) {
    MachineToday today;
    one.change(today);
    EXPECT_NE(today.ids().cpu.hash, before.cpu.hash) << one.what;
    EXPECT_NE(today.ids().cuda.hash, before.cuda.hash) << one.what;
  }
}

TEST(MachineId, GpusMatterOnCudaAlone) {
  const MachineIds before = MachineToday().ids();
  EXPECT_NE(before.cpu.hash, before.cuda.hash);
  const MachineCase cases[] = {
      {"name", [](MachineToday& m) { m.devices[0].name = "NVIDIA H100"; }},
      {"memory", [](MachineToday& m) { m.devices[0].memory.value /= 2; }},
      {"driver", [](MachineToday& m) { m.devices[0].driver = m.devices[1].driver = "570.1"; }},
      {"capability", [](MachineToday& m) { m.devices[0].compute_capability = "10.0"; }},
      {"power limit", [](MachineToday& m) { m.devices[0].power_limit_watts = 500; }},
      {"ECC", [](MachineToday& m) { m.devices[0].ecc = false; }},
  };
  for (const MachineCase& one : cases) {
    MachineToday today;
    one.change(today);
    EXPECT_NE(today.ids().cuda.hash, before.cuda.hash) << one.what;
    EXPECT_EQ(today.ids().cpu.hash, before.cpu.hash) << one.what;
  }
}

TEST(MachineId, WhatDoesNotDecideMakesNoOther) {
  const MachineIds before = MachineToday().ids();
  const MachineCase cases[] = {
      {"kernel", [](MachineToday& m) { m.host.kernel = "6.1.0-2"; }},
      {"system", [](MachineToday& m) { m.host.os = "Debian 13"; }},
      {"governor", [](MachineToday& m) { m.host.governor = "powersave"; }},
      {"host name", [](MachineToday& m) { m.host.hostname = "other"; }},
      {"a few MiB", [](MachineToday& m) { m.machine.memory.value -= (5_MiB).value; }},
      {"a few MiB of a GPU", [](MachineToday& m) { m.devices[0].memory.value -= (5_MiB).value; }},
      {"serial number", [](MachineToday& m) { m.devices[0].uuid = "GPU-3"; }},
      {"number of equal GPUs", [](MachineToday& m) { m.devices.pop_back(); }},
      {"order", [](MachineToday& m) { std::swap(m.devices[0], m.devices[1]); }},
      {"which cores",
       [](MachineToday& m) {
         m.machine.cores = {4, 5, 6, 7};
       }},
  };
  for (const MachineCase& one : cases) {
    MachineToday today;
    one.change(today);
    EXPECT_EQ(today.ids().cpu.hash, before.cpu.hash) << one.what;
    EXPECT_EQ(today.ids().cuda.hash, before.cuda.hash) << one.what;
  }
}

TEST(MachineId, AGpuThatDoesNotAnswerIsUnknown) {
  MachineToday today;
  today.devices.clear();
  EXPECT_EQ(today.ids().cuda.hash, "");
  EXPECT_EQ(today.ids().cpu.hash, MachineToday().ids().cpu.hash);
}

TEST(MachineId, TheTextNamesWhatCounts) {
  MachineToday today;
  EXPECT_EQ(today.ids().cpu.facts, "CPU=AMD EPYC 7763; cores=4; sockets=2; memory=61.50 GiB");
  today.devices[0].name = "NVIDIA H100";
  today.devices[0].power_limit_watts.reset();
  EXPECT_EQ(today.ids().cuda.facts,
            "CPU=AMD EPYC 7763; cores=4; sockets=2; memory=61.50 GiB; GPU=NVIDIA H100 + NVIDIA "
            "H200; GPU memory=140.00 GiB + 140.00 GiB; compute capability=9.0 + 9.0; power "
            "limit=unknown + 700 W; ECC=on + on; driver=550.54");
}

TEST(MachineId, AChangeNamesItsValues) {
  MachineToday now;
  now.machine.cores.pop_back();
  for (DeviceInfo& gpu : now.devices) gpu.driver = "570.1";
  const auto changes = machine_changes(MachineToday().ids().cuda.facts, now.ids().cuda.facts);
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(changes[0].what, "the number of cores");
  EXPECT_EQ(changes[0].how, "4 → 3");
  EXPECT_EQ(changes[1].what, "the driver");
  EXPECT_EQ(changes[1].how, "550.54 → 570.1");
  const auto unknown = machine_changes("", now.ids().cuda.facts);
  ASSERT_EQ(unknown.size(), 1U);
  EXPECT_EQ(unknown[0].what, "the machine");
}

TEST(MachineId, MemoryIsRoundedToAPercent) {
  EXPECT_EQ(rounded_memory(64_GiB), 64_GiB);
  EXPECT_EQ(rounded_memory(Bytes{(129_GiB).value - 1}), 128_GiB);
  EXPECT_EQ(rounded_memory(129_GiB), 130_GiB);
  EXPECT_EQ(rounded_memory(Bytes{0}), Bytes{0});
  EXPECT_EQ(rounded_memory(Bytes{7}), Bytes{7});
}

}  // namespace
}  // namespace sweepd
