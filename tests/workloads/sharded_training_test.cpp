// Compares training whose optimizer state, or everything, is sharded over the ranks with one
// process that has the whole batch.
#include "workloads/dist/sharded_training.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/workloads/ranks.h"
#include "tests/workloads/thread_collectives.h"
#include "tests/workloads/workload_harness.h"
#include "workloads/api/failure.h"
#include "workloads/dist/fsdp_training.h"

namespace sweepd {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Pointwise;

constexpr int kShardedSteps = 4;
constexpr double kMaxError = 2e-5;  // of losses near 3.7

RunParams run_params() {
  RunParams run;
  run.seed = 1;
  return run;
}

LmStepParams whole(int world_size, const std::string& optimizer = "adamw_fused") {
  LmStepParams params = small_case();
  params.batch *= world_size;
  params.optimizer = optimizer;
  return params;
}

// Works for a ShardedTraining and an FsdpTraining.
template <class T>
std::vector<double> losses_of(T& training, int steps = kShardedSteps) {
  std::vector<double> losses;
  for (int step = 0; step < steps; ++step) {
    RecordedPhases phases;
    RecordedSamples samples;
    training.step(phases);
    training.tell(samples);
    losses.push_back(samples.values.at("step/loss").at(0));
    EXPECT_GT(samples.values.at("step/communication_time").at(0), 0);
    EXPECT_GT(samples.values.at("step/exposed_time").at(0), 0);
    EXPECT_LT(samples.values.at("step/exposed_share").at(0), 1);
  }
  return losses;
}

template <class T>
std::map<HeldTensor::Kind, std::int64_t> held(const T& training) {
  std::map<HeldTensor::Kind, std::int64_t> bytes;
  std::set<const void*> blocks;
  for (const HeldTensor& one : training.state()) {
    bytes[one.kind] += one.size.value;
    EXPECT_TRUE(blocks.insert(one.block).second) << one.name << " is there twice";
  }
  return bytes;
}

class ShardedLosses : public ::testing::TestWithParam<int> {};

TEST_P(ShardedLosses, EqualThoseOfTheWholeBatch) {
  const int world_size = GetParam();
  for (const char* optimizer : {"adamw_fused", "adamw_foreach", "adamw_loop"}) {
    const std::vector<double> expected = losses(whole(world_size, optimizer), kShardedSteps);
    for (const bool sharded : {false, true}) {
      for (const double bucket_mb : {0.001, 0.004, 25.0}) {
        expect_threads(world_size, [&](Collectives& ranks) {
          Harness harness;
          ShardedOptimizerParams params;
          params.lm = small_case();
          params.lm.optimizer = optimizer;
          params.sharded = sharded;
          params.bucket_mb = bucket_mb;
          ShardedTraining training(params, run_params(), ranks, *harness.device);
          EXPECT_THAT(losses_of(training), Pointwise(DoubleNear(kMaxError), expected))
              << optimizer << (sharded ? " sharded " : " whole ") << bucket_mb;
        });
      }
    }
  }
}

TEST_P(ShardedLosses, FullyShardedOnesEqualThoseOfTheWholeBatch) {
  const int world_size = GetParam();
  const std::vector<double> expected = losses(whole(world_size), kShardedSteps);
  for (const char* attention : {"naive", "sdpa_flash"}) {
    for (const bool overlap : {false, true}) {
      expect_threads(world_size, [&](Collectives& ranks) {
        Harness harness;
        FsdpParams params;
        params.lm = small_case();
        params.lm.attention = attention;
        params.overlap = overlap;
        FsdpTraining training(params, run_params(), ranks, *harness.device);
        EXPECT_THAT(losses_of(training), Pointwise(DoubleNear(kMaxError), expected))
            << attention << (overlap ? " overlapped" : " one after the other");
      });
    }
  }
}

// Compares every weight, not only the loss, after steps that moved all of them.
TEST_P(ShardedLosses, FullyShardedWeightsEqualThoseOfTheWholeBatch) {
  const int world_size = GetParam();
  Training single(whole(world_size), at::kCPU, 1);
  RecordedPhases phases;
  for (int step = 0; step < kShardedSteps; ++step) single.step(phases);
  expect_threads(world_size, [&](Collectives& ranks) {
    Harness harness;
    FsdpParams params;
    params.lm = small_case();
    FsdpTraining training(params, run_params(), ranks, *harness.device);
    losses_of(training);
    std::vector<at::Tensor> got;
    for (std::size_t unit = 0; unit < 4; ++unit) {
      for (const at::Tensor& weight : training.sharded().whole(unit)) got.push_back(weight);
    }
    ASSERT_EQ(got.size(), single.model().parameters().size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      const auto& [name, expected] = single.model().parameters()[i];
      // AdamW divides by the root of the second moment. Thus the rounding of a gradient near zero
      // becomes a share of the learning rate (0.01), and no more.
      EXPECT_TRUE(at::allclose(got[i], expected, 1e-3, 2e-3)) << name;
      EXPECT_LT((got[i] - expected).abs().mean().item<double>(), 1e-5) << name;
    }
  });
}

INSTANTIATE_TEST_SUITE_P(WorldSizes, ShardedLosses, ::testing::Values(1, 2, 3, 4),
                         ::testing::PrintToStringParamName());

TEST(ShardedTraining, EntersItsPhases) {
  expect_threads(2, [](Collectives& ranks) {
    Harness harness;
    RecordedPhases phases, fsdp_phases;
    ShardedOptimizerParams params;
    params.lm = small_case();
    ShardedTraining(params, run_params(), ranks, *harness.device).step(phases);
    EXPECT_THAT(phases.seen,
                ElementsAre("forward", "backward", "communication", "optimizer", "communication"));
    FsdpParams fsdp;
    fsdp.lm = small_case();
    FsdpTraining(fsdp, run_params(), ranks, *harness.device).step(fsdp_phases);
    EXPECT_THAT(fsdp_phases.seen, ElementsAre("forward", "backward", "optimizer"));
  });
}

// 6,704 parameters. Every rank has all weights, and its part of both moments.
TEST(ShardedTraining, KeepsItsPartOfTheStateAlone) {
  using Kind = HeldTensor::Kind;
  struct Sharding {
    int world_size;
    bool sharded;
    std::int64_t moments;  // bytes
  };
  const Sharding cases[] = {
      {1, true, 8 * 6704}, {2, false, 8 * 6704}, {2, true, 8 * 3352}, {4, true, 8 * 1676}};
  for (const Sharding& test : cases) {
    expect_threads(test.world_size, [&](Collectives& ranks) {
      Harness harness;
      ShardedOptimizerParams params;
      params.lm = small_case();
      params.sharded = test.sharded;
      ShardedTraining training(params, run_params(), ranks, *harness.device);
      auto bytes = held(training);
      EXPECT_EQ(bytes[Kind::kWeights], 4 * 6704);
      EXPECT_EQ(bytes[Kind::kOptimizerState], test.moments) << test.world_size;
      EXPECT_EQ(bytes[Kind::kGradients], 0);
      losses_of(training, 1);
      bytes = held(training);  // including the loss, whose 4 bytes stay
      losses_of(training);
      EXPECT_EQ(held(training), bytes) << "a step leaves nothing behind";
    });
  }
}

TEST(ShardedTraining, TheFormulaIsWhatItHolds) {
  for (const bool sharded : {false, true}) {
    for (const double bucket_mb : {0.004, 25.0}) {
      expect_threads(1, [&](Collectives& ranks) {
        Harness harness;
        ShardedOptimizerParams params;
        params.lm = small_case();
        params.sharded = sharded;
        params.bucket_mb = bucket_mb;
        ShardedTraining training(params, run_params(), ranks, *harness.device);
        std::int64_t bytes = 0;
        for (const HeldTensor& one : training.state()) {
          const bool batch = one.name == "tokens" || one.name == "targets" || one.name == "mask" ||
                             one.name == "rotary" || one.name == "updates";
          if (!batch) bytes += one.size.value;
        }
        EXPECT_EQ(static_cast<double>(bytes), sharded_memory(params, 1).after_init) << bucket_mb;
      });
    }
  }
}

TEST(FullySharded, KeepsItsPartOfEverythingAlone) {
  using Kind = HeldTensor::Kind;
  for (const int world_size : {1, 2, 4}) {
    expect_threads(world_size, [&](Collectives& ranks) {
      Harness harness;
      FsdpParams params;
      params.lm = small_case();
      FsdpTraining training(params, run_params(), ranks, *harness.device);
      auto bytes = held(training);
      // Units of 368, 2,976 twice and 384, all divisible by 4.
      EXPECT_EQ(bytes[Kind::kWeights], 4 * 6704 / world_size);
      EXPECT_EQ(bytes[Kind::kOptimizerState], 8 * 6704 / world_size);
      EXPECT_EQ(bytes[Kind::kGradients], 0);
      losses_of(training, 1);
      bytes = held(training);  // including the loss, whose 4 bytes stay
      losses_of(training);
      EXPECT_EQ(held(training), bytes) << "a step leaves nothing behind";
    });
  }
}

// Measures a step's largest memory on one rank. Without sharding it would have all weights; here it
// has at most two units of them, for any number of blocks.
TEST(FullySharded, NeverHasTheWholeModel) {
  const auto peak = [](std::int64_t layers, bool overlap) {
    std::int64_t most = 0;
    expect_threads(1, [&](Collectives& ranks) {
      Harness harness;
      FsdpParams params;
      params.lm = small_case();
      params.lm.d_model = 64;
      params.lm.d_ff = 512;
      params.lm.batch = 1;
      params.lm.context = 2;
      params.lm.layers = layers;
      params.overlap = overlap;
      FsdpTraining training(params, run_params(), ranks, *harness.device);
      harness.device->reset_peak_memory();
      const std::int64_t before = harness.device->memory().allocated.value;
      losses_of(training, 1);
      most = harness.device->memory().peak_allocated.value - before;
    });
    return most;
  };
  const std::int64_t block = 4 * (4 * 64 * 64 + 3 * 64 * 512 + 2 * 64);
  // One more block costs its part's gradient, which with one rank is all of it, and its forward's
  // saved tensors for two tokens. Gathered weights would cost a block more. The limit is over eight
  // blocks, since with overlap the peak varies a little with how the two threads meet.
  for (const bool overlap : {false, true}) {
    EXPECT_LT(peak(12, overlap) - peak(4, overlap), 8 * (block + block / 4)) << overlap;
  }
  EXPECT_GT(peak(6, true), peak(6, false)) << "overlap pays with a second unit";
}

TEST(FullySharded, AutocastIsSkippedWithItsReason) {
  expect_threads(1, [](Collectives& ranks) {
    Harness harness;
    FsdpParams params;
    params.lm = small_case();
    for (const char* precision : {"bf16", "fp16"}) {
      params.lm.precision = precision;
      EXPECT_THROW(FsdpTraining(params, run_params(), ranks, *harness.device), Unavailable);
    }
  });
}

TEST(ShardedTraining, LowPrecisionTrains) {
  for (const char* precision : {"bf16", "bf16_pure", "fp16"}) {
    for (const bool sharded : {false, true}) {
      expect_threads(3, [&](Collectives& ranks) {
        Harness harness;
        ShardedOptimizerParams params;
        params.lm = small_case();
        params.lm.precision = precision;
        params.sharded = sharded;
        ShardedTraining training(params, run_params(), ranks, *harness.device);
        const std::vector<double> got = losses_of(training);
        EXPECT_LT(got.back(), got.front() - 0.05) << precision << sharded;
      });
    }
  }
  expect_threads(2, [&](Collectives& ranks) {
    Harness harness;
    FsdpParams params;
    params.lm = small_case();
    params.lm.precision = "bf16_pure";
    FsdpTraining training(params, run_params(), ranks, *harness.device);
    const std::vector<double> got = losses_of(training);
    EXPECT_LT(got.back(), got.front() - 0.05);
  });
}

}  // namespace
}  // namespace sweepd
