// Tests the lease of one attempt on an idle machine, or why it can never run there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sched/story.h"

namespace sweepd {
namespace {

using testing::ElementsAre;

struct Case {
  const char* what;
  Machine machine;
  Item item;
  std::string expected;
};

void check(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    Scheduler scheduler(c.machine);
    scheduler.add(c.item);
    EXPECT_THAT(step_at(scheduler), ElementsAre(c.expected)) << c.what;
  }
}

TEST(CpuLease, SplitsTheCoresEvenly) {
  check({
      {"all cores", machine_of(4), cpu_timing(1), "start 1 on 0,1,2,3"},
      {"two ranks", machine_of(4), with_ranks(cpu_timing(1), 2), "start 1 on 0,1 | 2,3"},
      {"ranks are equal, the rest is idle", machine_of(5), with_ranks(cpu_timing(1), 2),
       "start 1 on 0,1 | 2,3"},
      {"threads", machine_of(8), with_threads(cpu_timing(1), 3), "start 1 on 0,1,2"},
      {"threads of each rank", machine_of(8), with_threads(with_ranks(cpu_timing(1), 2), 3),
       "start 1 on 0,1,2 | 3,4,5"},
      {"as many ranks as cores", machine_of(2), with_ranks(cpu_timing(1), 2), "start 1 on 0 | 1"},
      {"more ranks than cores", machine_of(2), with_ranks(cpu_timing(1), 5),
       "start 1 on 0 | 1 | 0 | 1 | 0"},
      {"more ranks than cores, one thread each", machine_of(2),
       with_threads(with_ranks(cpu_timing(1), 3), 1), "start 1 on 0 | 1 | 0"},
  });
}

TEST(CpuLease, UsesTheCoresThatTheMachineAllows) {
  Machine machine = machine_of(0);
  machine.cores = {3, 8, 21};
  check({{"odd numbers", machine, cpu_timing(1), "start 1 on 3,8,21"}});
}

TEST(GpuLease, HasAnEvenShareOfTheCoresForEachGpu) {
  check({
      {"one GPU", machine_of(4, 1), gpu_timing(1), "start 1 on GPU-0:0,1,2,3"},
      {"one of two", machine_of(4, 2), gpu_timing(1), "start 1 on GPU-0:0,1"},
      {"both", machine_of(4, 2), gpu_timing(1, 2), "start 1 on GPU-0:0,1 | GPU-1:2,3"},
      {"threads beyond the share", machine_of(8, 2), with_threads(gpu_timing(1), 6),
       "start 1 on GPU-0:0,1,2,3,4,5"},
      {"fewer cores than GPUs", machine_of(2, 4), gpu_timing(1), "start 1 on GPU-0:0"},
      {"a gang on fewer cores than GPUs", machine_of(2, 4), gpu_timing(1, 4),
       "start 1 on GPU-0:0 | GPU-1:1 | GPU-2:0 | GPU-3:1"},
  });
}

TEST(GpuLease, PrefersTheCoresOfItsNumaNode) {
  Machine machine = machine_of(8, 2);
  machine.gpus[0].near_cores = {4, 5, 6, 7};
  machine.gpus[1].near_cores = {0, 1, 2, 3};
  check({{"crossed nodes", machine, gpu_timing(1, 2), "start 1 on GPU-0:4,5,6,7 | GPU-1:0,1,2,3"},
         {"one thread", machine, with_threads(gpu_timing(1), 1), "start 1 on GPU-0:4"}});
  machine.gpus[1].near_cores = {4, 5, 6, 7};
  check({{"both on one node", machine, gpu_timing(1, 2),
          "start 1 on GPU-0:4,5,6,7 | GPU-1:0,1,2,3"}});
}

Machine within_quota(Machine machine, double quota) {
  machine.cpu_quota = quota;
  return machine;
}

TEST(Refusal, NamesWhatIsAskedForAndWhatThereIs) {
  check({
      {"too many GPUs", machine_of(8, 2), gpu_timing(1, 4),
       "refuse 1: world_size 4 needs 4 GPUs, and this machine has 2"},
      {"no GPU at all", machine_of(8), gpu_timing(1),
       "refuse 1: needs 1 GPU, and this machine has none"},
      {"too many threads", machine_of(2), with_threads(cpu_timing(1), 3),
       "refuse 1: threads 3 needs 3 cores, and this machine has 2"},
      {"more threads than the quota leaves", within_quota(machine_of(2), 2.5),
       with_threads(cpu_timing(1), 3),
       "refuse 1: threads 3 needs 3 cores, and this machine has 2, by its CPU quota of 2.5"},
      {"too many threads of all ranks", machine_of(4),
       with_threads(with_ranks(cpu_timing(1), 2), 3),
       "refuse 1: 2 ranks of 3 threads need 6 cores, and this machine has 4"},
      {"too many threads of a gang that shares cores", machine_of(2),
       with_threads(with_ranks(cpu_timing(1), 4), 2),
       "refuse 1: 4 ranks of 2 threads need 8 cores, and this machine has 2"},
      {"too much memory", machine_of(2, 0, 16_GiB), with_memory(cpu_timing(1), 20_GiB),
       "refuse 1: needs 20.00 GiB of memory, and this machine has 16.00 GiB"},
      {"a byte too much", machine_of(2, 0, 16_GiB),
       with_memory(cpu_timing(1), Bytes{(16_GiB).value + 1}),
       "refuse 1: needs 17179869185B of memory, and this machine has 16GiB"},
      {"far more ranks than cores", machine_of(2), with_ranks(cpu_timing(1), 33),
       "refuse 1: world_size 33 is more than 16 ranks a core, and this machine has 2 cores: at "
       "most "
       "32 ranks"},
      {"no core", machine_of(0), cpu_timing(1),
       "refuse 1: needs a CPU core, and this machine has 0 that may be used"},
  });
}

TEST(Refusal, OfMemoryNeedsToKnowTheMachines) {
  check({{"unknown", machine_of(1, 0, Bytes{0}), with_memory(cpu_timing(1), 1_GiB), "start 1 on 0"},
         {"all of it", machine_of(1, 0, 16_GiB), with_memory(cpu_timing(1), 16_GiB),
          "start 1 on 0"}});
}

}  // namespace
}  // namespace sweepd
