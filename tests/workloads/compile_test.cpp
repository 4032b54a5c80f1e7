// Tests the parameter `compile` of lm_step without compiling: valid combinations, the paths of
// packages, and the restart.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

#include "tests/workloads/workload_harness.h"
#include "workloads/api/failure.h"
#include "workloads/nn/aot_package.h"

namespace sweepd {
namespace {

using ::testing::HasSubstr;

std::string refusal(const Texts& changes) {
  Harness harness;
  Texts texts = {{"model", "tiny"}, {"context", "16"}, {"batch", "1"}, {"vocab", "64"}};
  texts.insert(texts.end(), changes.begin(), changes.end());
  try {
    harness.work("lm_step", texts);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(Compile, SaysWhatItCannotBeCombinedWith) {
  struct Row {
    Texts changes;
    const char* refusal;
  };
  const std::vector<Row> rows = {
      {{{"compile", "cuda_graph"}}, ""},
      {{{"compile", "cuda_graph"}, {"precision", "fp16"}}, ""},
      {{{"compile", "cuda_graph"}, {"optimizer", "adamw_foreach"}}, "needs optimizer: adamw_fused"},
      {{{"compile", "cuda_graph"}, {"optimizer", "adamw_loop"}, {"mode", "forward_backward"}}, ""},
      {{{"compile", "aot_inductor"}}, ""},
      {{{"compile", "aot_inductor"}, {"attention", "sdpa_cudnn"}, {"precision", "bf16"}}, ""},
      {{{"compile", "aot_inductor"}, {"optimizer", "adamw_loop"}}, "needs optimizer: adamw_fused"},
      {{{"compile", "aot_inductor"}, {"precision", "fp16"}}, "no loss scaling"},
  };
  for (const Row& row : rows) {
    const std::string got = refusal(row.changes);
    if (std::string_view(row.refusal).empty()) {
      EXPECT_EQ(got, "") << row.changes.front().second;
    } else {
      EXPECT_THAT(got, HasSubstr(row.refusal));
    }
  }
}

TEST(Compile, AGraphNeedsAGpu) {
  Harness harness;
  try {
    harness.make("lm_step", {{"model", "tiny"}, {"context", "16"}, {"compile", "cuda_graph"}});
    FAIL() << "a CPU captured a graph";
  } catch (const Unavailable& reason) {
    EXPECT_STREQ(reason.what(),
                 "compile cuda_graph needs a CUDA device, and this trial runs on the CPU");
  }
}

TEST(Training, StartsAgainFromTheFirstWeights) {
  for (const char* precision : {"fp32", "bf16", "bf16_pure", "fp16"}) {
    for (const char* optimizer : {"adamw_fused", "adamw_foreach"}) {
      LmStepParams params = small_case();
      params.precision = precision;
      params.optimizer = optimizer;
      Training training(params, at::kCPU, 1);
      RecordedPhases phases;
      const auto three = [&] {
        std::vector<double> losses;
        for (int i = 0; i < 3; ++i) {
          training.step(phases);
          losses.push_back(training.loss().item<double>());
        }
        return losses;
      };
      const std::vector<double> first = three();
      EXPECT_NE(first[0], first[2]);
      training.restart();
      EXPECT_EQ(three(), first) << precision << " " << optimizer;
    }
  }
}

const AotTarget kTarget{"cpu", "avx512", "2.11.0"};

TEST(AotPackage, IsOneForEachStepAndMachine) {
  std::set<std::filesystem::path> paths;
  const auto add = [&](auto change, AotTarget target) {
    LmStepParams params = small_case();
    change(params);
    EXPECT_TRUE(paths.insert(aot_package(params, target).path).second) << *paths.rbegin();
  };
  using P = LmStepParams;
  add([](P&) {}, kTarget);
  add([](P&) {}, {"cpu", "avx2", "2.11.0"});
  add([](P&) {}, {"cuda", "sm_90", "2.11.0"});
  add([](P&) {}, {"cpu", "avx512", "2.12.0"});
  add([](P& p) { p.d_model = 32; }, kTarget);
  add([](P& p) { p.d_ff = 48; }, kTarget);
  add([](P& p) { p.layers = 3; }, kTarget);
  add([](P& p) { p.heads = 1; }, kTarget);
  add([](P& p) { p.vocab = 24; }, kTarget);
  add([](P& p) { p.context = 13; }, kTarget);
  add([](P& p) { p.batch = 3; }, kTarget);
  add([](P& p) { p.precision = "bf16"; }, kTarget);
  add([](P& p) { p.attention = "sdpa_math"; }, kTarget);
  add([](P& p) { p.mode = "forward"; }, kTarget);
  add([](P& p) { p.mode = "forward_backward"; }, kTarget);
  add([](P& p) { p.lr = 0.02; }, kTarget);
  add([](P& p) { p.beta1 = 0.8; }, kTarget);
  add([](P& p) { p.beta2 = 0.99; }, kTarget);
  add([](P& p) { p.eps = 1e-6; }, kTarget);
  add([](P& p) { p.weight_decay = 0; }, kTarget);
}

TEST(AotPackage, IsOneForEachShapeOfAttention) {
  std::set<std::filesystem::path> paths;
  const auto add = [&](auto change) {
    AttentionParams params;
    change(params);
    EXPECT_TRUE(paths.insert(aot_package(params, kTarget).path).second) << *paths.rbegin();
  };
  using P = AttentionParams;
  add([](P&) {});
  add([](P& p) { p.batch = 1; });
  add([](P& p) { p.heads = 2; });
  add([](P& p) { p.sequence = 17; });
  add([](P& p) { p.d_head = 17; });
  add([](P& p) { p.causal = true; });
  add([](P& p) { p.dtype = "fp16"; });
  add([](P& p) { p.mode = "forward"; });
  AttentionParams both, backward;
  backward.mode = "backward";
  EXPECT_EQ(aot_package(both, kTarget).path, aot_package(backward, kTarget).path);
  EXPECT_THAT(aot_package(backward, kTarget).command,
              HasSubstr(" --workload attention --batch 8 --heads 1 --sequence 1024 --d-head 64 "
                        "--dtype fp32 --mode both --device cpu --hardware avx512 "));
}

TEST(Compile, PackagesOfAttentionAreOfTheNaiveOne) {
  Harness harness;
  try {
    harness.work("attention", {{"compile", "aot_inductor"}, {"implementation", "sdpa_flash"}});
    FAIL() << "accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), HasSubstr("this trial has sdpa_flash"));
  }
}

TEST(AotPackage, ShapeCountsAndNotTheModelsName) {
  LmStepParams named, numbers;
  named.model = "small";
  numbers.model = "custom";
  numbers.d_model = 768;
  numbers.d_ff = 3072;
  numbers.layers = 12;
  numbers.heads = 12;
  EXPECT_EQ(aot_package(named, kTarget).path, aot_package(numbers, kTarget).path);
  named.mode = numbers.mode = "forward";
  numbers.lr = 0.5;  // the forward has no optimizer
  EXPECT_EQ(aot_package(named, kTarget).path, aot_package(numbers, kTarget).path);
}

TEST(AotPackage, LiesInTheFolderThatIsNamed) {
  LmStepParams params;
  params.mode = "forward";
  const std::string below =
      "/torch-2.11.0/cpu-avx512/"
      "lm_step.1-d768-ff3072-l12-h12-v10000-s256-b4-fp32-forward-naive.pt2";
  ::setenv("SWEEPD_AOT_DIR", "/a b", 1);
  EXPECT_EQ(aot_package(params, kTarget).path, "/a b" + below);
  EXPECT_THAT(aot_package(params, kTarget).command, HasSubstr(" --out '/a b" + below + "'"));
  ::unsetenv("SWEEPD_AOT_DIR");
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const std::string before = cache != nullptr ? cache : "";
  ::setenv("XDG_CACHE_HOME", "/cache", 1);
  EXPECT_EQ(aot_package(params, kTarget).path, "/cache/sweepd/aot" + below);
  cache != nullptr ? ::setenv("XDG_CACHE_HOME", before.c_str(), 1) : ::unsetenv("XDG_CACHE_HOME");
}

}  // namespace
}  // namespace sweepd
