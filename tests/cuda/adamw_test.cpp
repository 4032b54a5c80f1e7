// AdamW's kernel on the emulator, against double precision.
#include "workloads/cuda/fused/adamw.cuh"

#include <gtest/gtest.h>

#include <cmath>
#include <list>
#include <random>
#include <vector>

#include "tests/cuda/fused_case.h"

namespace sweepd::gpu {
namespace {

AdamWTask adamw_task(Buffer& updates) {
  updates.set(0, 2);
  AdamWTask task;
  task.updates = updates.floats();
  task.lr = 0.01;
  task.beta1 = 0.9;
  task.beta2 = 0.999;
  task.eps = 1e-8;
  task.weight_decay = 0.1;
  return task;
}

// A tensor's buffers before and after an update.
template <Element kType>
class Weights {
 public:
  Weights(std::int64_t count, bool copied, std::mt19937& random)
      : count_(count),
        copied_(copied),
        p_(Element::kFp32, count, random),
        m_(Element::kFp32, count, random),
        v_(Element::kFp32, count),
        g_(kType, count, random),
        copy_(kType, count) {
    for (std::int64_t i = 0; i < count; ++i) v_.set(i, static_cast<float>(i % 7));
    for (std::int64_t i = 0; i < count; ++i) first_.push_back({p_[i], m_[i], v_[i]});
  }
  AdamWTensor tensor() {
    return {p_.floats(), g_.data(), m_.floats(), v_.floats(), copied_ ? copy_.data() : nullptr,
            count_};
  }
  void check() {
    SCOPED_TRACE(count_);
    for (std::int64_t i = 0; i < count_; ++i) {
      const auto& [p, m, v] = first_[static_cast<std::size_t>(i)];
      const double new_m = 0.9 * m + 0.1 * g_[i], new_v = 0.999 * v + 0.001 * g_[i] * g_[i];
      const double divisor = std::sqrt(new_v / (1 - 0.999 * 0.999)) + 1e-8;
      const double wanted = p * (1 - 0.01 * 0.1) - 0.01 * new_m / (1 - 0.81) / divisor;
      expect_near(m_, i, new_m, "m");
      expect_near(v_, i, new_v, "v");
      expect_near(p_, i, wanted, "p");
      if (copied_) expect_near(copy_, i, wanted, "copy");
    }
  }

 private:
  struct Weight {
    double p, m, v;
  };
  std::int64_t count_;
  bool copied_;
  Buffer p_, m_, v_, g_, copy_;
  std::vector<Weight> first_;
};

// A tensor of kShifted + n elements has buffer n (p, m, v, g, copy) misaligned.
constexpr std::int64_t kShifted = 20000;

template <Element kType>
void check_adamw(const std::vector<std::int64_t>& counts, int blocks, bool copied,
                 std::uint32_t seed) {
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  Buffer updates(Element::kFp32, 1);
  AdamWTask task = adamw_task(updates);
  std::list<Weights<kType>> all;
  for (const std::int64_t count : counts) {
    if (count >= kShifted) Buffer::until_shifted = static_cast<int>(count - kShifted);
    EXPECT_TRUE(task.add(all.emplace_back(count, copied, random).tensor()));
  }
  using Kernel = AdamWUpdate<kType>;
  EXPECT_TRUE(emulate_kernel<Kernel>(blocks, Kernel::kSharedBytes, task, seed));
  for (Weights<kType>& each : all) each.check();
}

TEST(FusedKernels, AdamWOfManyTensors) {
  check_adamw<Element::kBf16>({1000, kShifted, 0, 2 * AdamWTask::kChunk + 7}, 2, true, 1);
  check_adamw<Element::kFp32>({300, 5, AdamWTask::kChunk}, 1, false, 2);
  check_adamw<Element::kFp16>({4, 3}, 3, true, 3);
  check_adamw<Element::kBf16>({8, kShifted + 1, kShifted + 2, kShifted + 3, kShifted + 4}, 2, true,
                              4);
}

TEST(FusedKernels, AFullTableTakesNoFurtherTensor) {
  AdamWTask task;
  for (int i = 0; i < AdamWTask::kMostTensors; ++i) EXPECT_TRUE(task.add({}));
  EXPECT_FALSE(task.add({}));
  EXPECT_EQ(task.size, AdamWTask::kMostTensors);
}

}  // namespace
}  // namespace sweepd::gpu
