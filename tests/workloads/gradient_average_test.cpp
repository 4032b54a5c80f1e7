// Compares gradients averaged over ranks, by every strategy, with one process that has the whole
// batch.
#include "workloads/dist/gradient_average.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/workloads/thread_collectives.h"
#include "tests/workloads/workload_harness.h"

namespace sweepd {
namespace {

constexpr std::int64_t kRows = 3;  // of each rank

// Has parameters of unequal sizes: one is a single number, one is used twice (tied), one is frozen,
// and one is not reached by any loss.
struct SmallModule {
  SmallModule() {
    const at::Generator random = at::globalContext().defaultGenerator(at::kCPU).clone();
    const_cast<at::Generator&>(random).set_current_seed(5);
    const auto make = [&](at::IntArrayRef sizes) {
      return at::randn(sizes, random).requires_grad_(true);
    };
    scale = make({1});
    tied = make({7, 7});
    wide = make({50, 7});
    frozen = at::randn({50}, random);
    unused = make({4});
  }
  // x is [rows, 7].
  at::Tensor loss(const at::Tensor& x) const {
    const at::Tensor hidden = at::tanh(at::matmul(at::tanh(at::matmul(x, tied)), tied)) * scale;
    return (at::linear(hidden, wide) * frozen).square().mean();
  }
  std::vector<at::Tensor> parameters() const {
    return {scale, tied, wide, frozen, tied, unused};  // `tied` is listed twice
  }
  at::Tensor scale, tied, wide, frozen, unused;
};

at::Tensor whole_batch(int world_size) {
  at::Generator random = at::globalContext().defaultGenerator(at::kCPU).clone();
  random.set_current_seed(9);
  return at::randn({kRows * world_size, 7}, random);
}

struct Strategy {
  const char* name;
  std::int64_t bucket_bytes;
};

std::vector<Strategy> strategies() {
  return {{"naive", 0},         {"flat", 0}, {"overlap", 0}, {"bucketed", 1},  // a bucket for each
          {"bucketed", 1500},  // several, of unequal sizes
          {"bucketed", 1 << 20}};
}

class GradientAverages : public ::testing::TestWithParam<int> {};

TEST_P(GradientAverages, EqualThoseOfTheWholeBatch) {
  const int world_size = GetParam();
  const SmallModule single;
  single.loss(whole_batch(world_size)).backward();
  for (const auto& [name, bytes] : strategies()) {
    SCOPED_TRACE(std::string(name) + " " + std::to_string(bytes));
    expect_threads(world_size, [&, kind = name, limit = bytes](Collectives& ranks) {
      Harness harness;
      SmallModule module;
      GradientAverage average(average_options_from(kind, limit), module.parameters(), ranks,
                              *harness.device);
      const at::Tensor mine = whole_batch(world_size).narrow(0, ranks.rank() * kRows, kRows);
      for (int step = 0; step < 3; ++step) {  // buffers and hooks are reused in every step
        for (at::Tensor& parameter : module.parameters()) parameter.mutable_grad().reset();
        module.loss(mine).backward();
        average.finish();
        EXPECT_TRUE(at::allclose(module.scale.grad(), single.scale.grad(), 1e-5, 1e-7));
        EXPECT_TRUE(at::allclose(module.tied.grad(), single.tied.grad(), 1e-5, 1e-7));
        EXPECT_TRUE(at::allclose(module.wide.grad(), single.wide.grad(), 1e-5, 1e-7));
        EXPECT_FALSE(module.frozen.grad().defined());
        EXPECT_TRUE(at::equal(module.unused.grad(), at::zeros({4})));
      }
    });
  }
}

// One rank's loss reaches a parameter that the other's does not. They must still make the same
// calls, and the absent gradient counts as zero.
TEST(GradientAverage, RanksMayUseDifferentParameters) {
  for (const auto& [name, bytes] : strategies()) {
    expect_threads(2, [&, kind = name, limit = bytes](Collectives& ranks) {
      Harness harness;
      const at::Tensor a = at::ones({3}).requires_grad_(true);
      const at::Tensor b = at::ones({5}).requires_grad_(true);
      GradientAverage average(average_options_from(kind, limit), {a, b}, ranks, *harness.device);
      (ranks.rank() == 0 ? a.sum() : (a.sum() + 4 * b.sum())).backward();
      average.finish();
      EXPECT_TRUE(at::equal(a.grad(), at::full({3}, 1.0))) << kind;
      EXPECT_TRUE(at::equal(b.grad(), at::full({5}, 2.0))) << kind;
    });
  }
}

TEST(GradientAverage, TypesDoNotShareABuffer) {
  expect_threads(2, [](Collectives& ranks) {
    Harness harness;
    const at::Tensor single = at::ones({4}).requires_grad_(true);
    const at::Tensor half = at::ones({4}, at::kBFloat16).requires_grad_(true);
    GradientAverage average(average_options_from("flat", 0), {single, half}, ranks,
                            *harness.device);
    EXPECT_EQ(average.buffers().size(), 2U);
    ((1.0 + ranks.rank()) * single.sum() + half.to(at::kFloat).sum()).backward();
    average.finish();
    EXPECT_TRUE(at::equal(single.grad(), at::full({4}, 1.5)));
    EXPECT_TRUE(at::equal(half.grad(), at::ones({4}, at::kBFloat16)));
  });
}

// Counts a strategy's messages and copies.
TEST(GradientAverage, CountsItsCollectivesAndCopies) {
  struct Averaging {
    const char* strategy;
    std::int64_t bucket_bytes;
    std::size_t collectives;
    std::int64_t copied;
  };
  // 4, 196, 1,400 and 16 bytes; the frozen one is not sent.
  const Averaging cases[] = {{"naive", 0, 4, 0},
                             {"flat", 0, 1, 1616},
                             {"overlap", 0, 4, 0},
                             {"bucketed", 1, 4, 1616},
                             {"bucketed", 220, 3, 1616}};
  for (const Averaging& test : cases) {
    expect_threads(2, [&](Collectives& ranks) {
      Harness harness;
      const SmallModule module;
      GradientAverage average(average_options_from(test.strategy, test.bucket_bytes),
                              module.parameters(), ranks, *harness.device);
      EXPECT_TRUE(average.times().empty()) << "before the first step";
      module.loss(whole_batch(1)).backward();
      average.finish();
      EXPECT_EQ(average.times().size(), test.collectives) << test.strategy;
      EXPECT_EQ(average.copied_bytes(), test.copied) << test.strategy;
      EXPECT_EQ(average.total_bytes(), 1616);
      for (const BucketTime& time : average.times()) EXPECT_GT(time.ms, 0);
    });
  }
}

TEST(GradientAverage, ARankThatLeavesEndsTheOthersStep) {
  for (const auto& [name, bytes] : strategies()) {
    const auto thrown = run_threads(2, [&, kind = name, limit = bytes](Collectives& ranks) {
      Harness harness;
      const SmallModule module;
      GradientAverage average(average_options_from(kind, limit), module.parameters(), ranks,
                              *harness.device);
      if (ranks.rank() == 1) throw std::runtime_error("I leave");
      module.loss(whole_batch(1)).backward();
      average.finish();
    });
    EXPECT_EQ(thrown[0], "another rank is gone") << name;
  }
}

TEST(GradientAverage, RefusesAStrategyItDoesNotKnow) {
  EXPECT_THROW(average_options_from("ring", 0), std::invalid_argument);
}

INSTANTIATE_TEST_SUITE_P(WorldSizes, GradientAverages, ::testing::Values(1, 2, 3, 4),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace sweepd
