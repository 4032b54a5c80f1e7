// Tests that a faulty GPU is taken out of service, and the outcome of its attempt. The
// machine has two GPUs.
#include <gmock/gmock.h>

#include "tests/daemon/dispatcher_story.h"

namespace sweepd {
namespace {

using testing::HasSubstr;

class DeviceFaults : public DispatcherStory {
 protected:
  Machine machine() const override {
    Machine two = DispatcherStory::machine();
    two.gpus = {{0, "GPU-a", "H200", 8_GiB, {}}, {1, "GPU-b", "H200", 8_GiB, {}}};
    return two;
  }
  void recover() {
    const auto recovered = dispatcher_->recover();
    ASSERT_TRUE(recovered) << recovered.error().message;
  }
  // The rank of the attempt that started last meets the fault, reports it and exits.
  void meet(const OpenAttempt& attempt, const std::string& fault) {
    EndEvent end{{Failed{"CUDA error: " + fault + " encountered", "forward"}, 0},
                 WallTime{5'000'000'000}};
    end.device_fault = fault;
    write_events(folder_of(attempt), 0, {end});
    executor_.end(0, {std::nullopt, 0});
  }
  std::string gpu_of_start(std::size_t nth) const {
    return executor_.started.at(nth).lease.ranks.at(0).gpu_uuid;
  }
  std::vector<std::string> faults() const {
    return sql(
        "SELECT uuid, fault, fault_attempt, paused_ns IS NOT NULL FROM device WHERE kind = "
        "'cuda' ORDER BY uuid");
  }
};

const Settings kOnGpu{{"device", "cuda"}};

TEST_F(DeviceFaults, TheGpuGetsNothingMoreAndItsAttemptGoesToAnother) {
  const auto queued = enqueue({kOnGpu});
  ASSERT_TRUE(until_started(1));
  EXPECT_EQ(gpu_of_start(0), "GPU-a");
  meet(queued[0], "uncorrectable ECC error");
  ASSERT_TRUE(until_started(2)) << "the attempt measured nothing, and is not at fault";
  EXPECT_EQ(gpu_of_start(1), "GPU-b");
  EXPECT_THAT(faults(),
              testing::ElementsAre("GPU-a|uncorrectable ECC error|" + queued[0].id + "|1"));
  EXPECT_THAT(sql("SELECT reason FROM attempt_loss"),
              testing::ElementsAre("cuda:0: uncorrectable ECC error"));
  finish_well(queued[0]);
  ASSERT_TRUE(until_ended(1));
  EXPECT_EQ(stored(queued[0]), "done");
}

TEST_F(DeviceFaults, WhereNoOtherIsLeftTheAttemptEndsAndTheRestWaits) {
  const auto queued = enqueue({kOnGpu});
  ASSERT_TRUE(until_started(1));
  meet(queued[0], "uncorrectable ECC error");
  ASSERT_TRUE(until_started(2));
  meet(queued[0], "uncorrectable NVLink error");
  ASSERT_TRUE(until_ended(1));
  EXPECT_EQ(stored(queued[0]), "failed");
  EXPECT_THAT(detail(queued[0]), HasSubstr("uncorrectable NVLink error"));
  EXPECT_EQ(faults().size(), 2U);
  const auto more = enqueue({{{"device", "cuda"}, {"context", "64"}}});
  settle();
  EXPECT_EQ(executor_.started.size(), 2U);
  EXPECT_EQ(stored(more[0]), "queued");

  restart();
  recover();
  settle();
  EXPECT_TRUE(executor_.started.empty()) << "a restart puts nothing back in service";
  ASSERT_EQ(dispatcher_->paused_devices().size(), 2U);
  EXPECT_EQ(dispatcher_->paused_devices()[0].fault, "uncorrectable ECC error");
  EXPECT_EQ(dispatcher_->paused_devices()[0].attempt, queued[0].id);

  DeviceInfo gpu;
  gpu.kind = "cuda";
  gpu.uuid = "GPU-b";
  ASSERT_TRUE(writer_->now([&](Store& store) { return store.resume_device(gpu); }));
  dispatcher_->pause_devices(*writer_->now([](Store& store) { return store.paused_devices(); }));
  ASSERT_TRUE(until_started(1));
  EXPECT_EQ(gpu_of_start(0), "GPU-b");
}

TEST_F(DeviceFaults, AnAttemptThatNoDaemonSawEndTakesItsGpuOutOfServiceToo) {
  const OpenAttempt attempt = store_sweep({kOnGpu}).at(0);
  ASSERT_TRUE(writer_->now([&](Store& store) {
    return store.mark_started(attempt.row, now_wall(), {{{{0}, "GPU-a", 0}}});
  }));
  write_text(folder_of(attempt).pid(0), "taken\n");
  EndEvent end{{Failed{"uncorrectable ECC error encountered", "forward"}, 0}, WallTime{5}};
  end.device_fault = "uncorrectable ECC error";
  write_events(folder_of(attempt), 0, {end});
  recover();
  ASSERT_TRUE(until_started(1));
  EXPECT_EQ(gpu_of_start(0), "GPU-b");
  EXPECT_EQ(faults().size(), 1U);
}

TEST_F(DeviceFaults, OnTheCpuTheWordsMeanNothing) {
  const auto queued = enqueue({{}});
  ASSERT_TRUE(until_started(1));
  meet(queued[0], "uncorrectable ECC error");
  ASSERT_TRUE(until_ended(1));
  EXPECT_EQ(stored(queued[0]), "failed");
  EXPECT_TRUE(dispatcher_->paused_devices().empty());
}

}  // namespace
}  // namespace sweepd
