#include "runner/exec/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "runner/base/cgroup.h"
#include "runner/exec/gpus.h"
#include "runner/exec/topology.h"
#include "tests/exec/scratch.h"

namespace sweepd {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using CgroupMemory = Scratch;

TEST_F(CgroupMemory, IsTheSmallestLimitUpToTheRoot) {
  write("proc/self/cgroup", "0::/user.slice/job-7\n");
  EXPECT_EQ(cgroup_memory_limit(root_), std::nullopt);  // no controller
  write("sys/fs/cgroup/user.slice/job-7/memory.max", "max\n");
  EXPECT_EQ(cgroup_memory_limit(root_), std::nullopt);
  write("sys/fs/cgroup/user.slice/memory.max", "8589934592\n");
  EXPECT_EQ(cgroup_memory_limit(root_), 8_GiB);
  write("sys/fs/cgroup/user.slice/job-7/memory.max", "4294967296\n");
  EXPECT_EQ(cgroup_memory_limit(root_), 4_GiB);
  write("sys/fs/cgroup/memory.max", "1073741824\n");
  EXPECT_EQ(cgroup_memory_limit(root_), 1_GiB);
}

TEST_F(CgroupMemory, OfVersion1IsReadToo) {
  write("proc/self/cgroup", "5:cpu,memory:/job\n4:cpuset:/other\n0::/\n");
  write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "2147483648\n");
  write("sys/fs/cgroup/memory/other/memory.limit_in_bytes", "1\n");
  EXPECT_EQ(cgroup_memory_limit(root_), 2_GiB);
}

// A container sees the host's path in /proc/self/cgroup, but its own group at the mount's root.
TEST_F(CgroupMemory, OfAContainerIsAtTheRootOfTheMount) {
  write("proc/self/cgroup", "0::/docker/0123abcd\n");
  write("sys/fs/cgroup/memory.max", "536870912\n");
  EXPECT_EQ(cgroup_memory_limit(root_), 512_MiB);
}

TEST_F(CgroupMemory, OfABrokenFileIsNone) {
  EXPECT_EQ(cgroup_memory_limit(root_ / "nowhere"), std::nullopt);
  write("proc/self/cgroup", "nonsense\n:\n0::\n");
  write("sys/fs/cgroup/memory.max", "");
  EXPECT_EQ(cgroup_memory_limit(root_), std::nullopt);
}

TEST(Topology, KnowsTheCoresOfEachNode) {
  const Topology topology = Topology::synthetic("numa:2 core:2 pu:2");
  EXPECT_THAT(topology.cores(), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(topology.cores_of_node(0), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(topology.cores_of_node(1), ElementsAre(4, 5, 6, 7));
  EXPECT_THAT(topology.cores_of_node(2), IsEmpty());
  EXPECT_THAT(topology.cores_of_node(-1), IsEmpty());
}

TEST(Topology, ThatCannotBeReadHasNoCores) {
  const Topology topology = Topology::synthetic("no:such description");
  EXPECT_THAT(topology.cores(), IsEmpty());
  EXPECT_THAT(topology.cores_of_node(0), IsEmpty());
}

std::vector<NvmlGpu> three_gpus() {
  std::vector<NvmlGpu> gpus(3);
  for (int i = 0; i < 3; ++i) gpus[static_cast<std::size_t>(i)].index = i;
  gpus[0].uuid = "GPU-aa11";
  gpus[1].uuid = "GPU-ab22";
  gpus[2].uuid = "GPU-cc33";
  return gpus;
}

TEST(VisibleGpus, AreThoseTheBatchSystemGave) {
  struct {
    std::optional<std::string> variable;
    std::vector<int> indices;
  } const cases[] = {
      {std::nullopt, {0, 1, 2}},
      {"", {}},
      {"1", {1}},
      {"2,0", {0, 2}},  // in PCI order, like the machine's list
      {" 0 , 2 ", {0, 2}},
      {"GPU-cc33", {2}},
      {"GPU-c", {2}},
      {"GPU-a", {}},   // two begin with it
      {"0,7,1", {0}},  // as in CUDA, an entry that names none ends the list
      {"-1", {}},
      {"NoDevFiles", {}},
  };
  for (const auto& c : cases) {
    std::vector<int> indices;
    for (const NvmlGpu& gpu : visible_gpus(three_gpus(), c.variable)) indices.push_back(gpu.index);
    EXPECT_EQ(indices, c.indices) << c.variable.value_or("(not set)");
  }
}

using DiscoveredMachine = Scratch;

TEST_F(DiscoveredMachine, HasNoMoreCoresThanItsQuota) {
  write("proc/self/cgroup", "0::/job\n");
  write("sys/fs/cgroup/job/cpu.max", "30000 100000\n");
  const Machine machine = discover_machine(root_);
  EXPECT_EQ(machine.cores, std::vector<int>{usable_cores().front()});
  EXPECT_EQ(machine.cpu_quota, 0.3);
}

Machine with_gpus(std::vector<std::vector<int>> near_cores) {
  Machine machine;
  machine.cores = {0, 1, 2, 3, 4, 5, 6, 7};
  for (auto& near : near_cores) machine.gpus.push_back({0, "", "", {}, std::move(near)});
  return machine;
}

TEST(Quota, LeavesTheCoresNearestToTheGpus) {
  struct Row {
    std::vector<std::vector<int>> near_cores;
    double quota;
    std::vector<int> kept;
  };
  for (const Row& row : {Row{{}, 3.9, {0, 1, 2}},
                         {{{4, 5, 6, 7}}, 2, {4, 5}},
                         {{{4, 5, 6, 7}}, 5, {0, 4, 5, 6, 7}},
                         {{{6, 7}, {2, 3}}, 3, {2, 6, 7}},
                         {{{6, 7}, {6, 7}}, 2, {6, 7}},
                         {{{}, {}}, 2, {0, 1}},
                         {{{}, {3}}, 0.5, {3}}}) {
    Machine machine = with_gpus(row.near_cores);
    keep_within_quota(machine, row.quota);
    EXPECT_EQ(machine.cores, row.kept) << row.quota;
    EXPECT_EQ(machine.cpu_quota, row.quota);
    for (const Gpu& gpu : machine.gpus) {
      for (const int core : gpu.near_cores) EXPECT_THAT(row.kept, testing::Contains(core));
    }
  }
}

TEST(Quota, OfAllCoresOrMoreChangesNothing) {
  for (const std::optional<double> quota : {std::optional<double>(), {8.0}, {64.0}}) {
    Machine machine = with_gpus({});
    keep_within_quota(machine, quota);
    EXPECT_EQ(machine.cores.size(), 8U);
    EXPECT_EQ(machine.cpu_quota, std::nullopt);
  }
}

using GpuCores = Scratch;

TEST_F(GpuCores, AreThoseOfItsNumaNodeThatWeMayUse) {
  const Topology topology = Topology::synthetic("numa:2 core:4 pu:1");
  NvmlGpu gpu = three_gpus()[1];
  gpu.name = "NVIDIA H200";
  gpu.memory = 141_GiB;
  gpu.pci_bus_id = "0000:3b:00.0";
  const std::vector<int> allowed{0, 1, 5, 7};
  const std::filesystem::path file = "sys/bus/pci/devices/0000:3b:00.0/numa_node";
  EXPECT_THAT(gpu_of(gpu, topology, allowed, root_).near_cores, IsEmpty());  // no such file
  write(file, "1\n");
  const Gpu described = gpu_of(gpu, topology, allowed, root_);
  EXPECT_THAT(described.near_cores, ElementsAre(5, 7));
  EXPECT_EQ(described.index, 1);
  EXPECT_EQ(described.uuid, "GPU-ab22");
  EXPECT_EQ(described.name, "NVIDIA H200");
  EXPECT_EQ(described.memory, 141_GiB);
  write(file, "-1\n");  // a virtual machine that hides the node
  EXPECT_THAT(gpu_of(gpu, topology, allowed, root_).near_cores, IsEmpty());
}

TEST_F(DiscoveredMachine, HasTheCoresAndMemoryWeMayUse) {
  const Machine machine = discover_machine(root_);
  const HostInfo host = read_host();
  ASSERT_FALSE(machine.cores.empty());
  EXPECT_TRUE(std::is_sorted(machine.cores.begin(), machine.cores.end()));
  EXPECT_EQ(machine.cores, usable_cores()) << "there is no quota below this root";
  EXPECT_EQ(machine.cpu_quota, std::nullopt);
  EXPECT_GT(machine.memory.value, 0);
  EXPECT_LE(machine.memory, host.memory);
  for (const Gpu& gpu : machine.gpus) {
    EXPECT_FALSE(gpu.uuid.empty());
    EXPECT_GT(gpu.memory.value, 0);
  }
}

TEST(Devices, AreTheCpuAndThenTheGpus) {
  const Machine machine = discover_machine();
  const HostInfo host = read_host();
  const auto devices = discover_devices(machine, host);
  ASSERT_EQ(devices.size(), 1 + machine.gpus.size());
  EXPECT_EQ(devices[0].kind, "cpu");
  EXPECT_EQ(devices[0].name, host.cpu_model);
  EXPECT_EQ(devices[0].uuid, host.id);
  for (std::size_t i = 0; i < machine.gpus.size(); ++i) {
    EXPECT_EQ(devices[i + 1].kind, "cuda");
    EXPECT_EQ(devices[i + 1].uuid, machine.gpus[i].uuid);
    EXPECT_FALSE(devices[i + 1].driver.empty());
    EXPECT_FALSE(devices[i + 1].compute_capability.empty());
  }
}

TEST(Devices, OfAGpuAreWhatNvmlSays) {
  NvmlGpu gpu = three_gpus()[2];
  gpu.compute_capability = "9.0";
  gpu.power_limit_watts = 700;
  gpu.ecc = true;
  const DeviceInfo device = device_of(gpu, "580.65.06");
  EXPECT_EQ(device.kind, "cuda");
  EXPECT_EQ(device.index, 2);
  EXPECT_EQ(device.driver, "580.65.06");
  EXPECT_EQ(device.compute_capability, "9.0");
  EXPECT_EQ(device.power_limit_watts, 700);
  EXPECT_EQ(device.ecc, true);
}

}  // namespace
}  // namespace sweepd
