// Compares tuned products and gradients on two streams with torch's on a GPU: alone, in a training
// step, and as a CUDA graph.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <random>
#include <stdexcept>

#include "tests/gpu/cuda_fixture.h"
#include "workloads/linear/linear.h"
#include "workloads/nn/captured_step.h"
#include "workloads/nn/numerics.h"

namespace sweepd {
namespace {

using ::testing::DoubleNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;
using Tensors = std::vector<at::Tensor>;

class CudaProducts : public CudaFixture {
 protected:
  static constexpr std::pair<bool, bool> kWays[] = {{true, false}, {false, true}, {true, true}};

  static LinearWay way(bool tuned, bool parallel) {
    return linear_way(tuned, parallel, at::Device(at::kCUDA, 0));
  }
  static Tensors run(const at::Tensor& x, const at::Tensor& w, const LinearWay& way) {
    const at::Tensor y = linear(x, w, way);
    at::manual_seed(5);
    Tensors all = torch::autograd::grad({y}, {x, w}, {at::randn(y.sizes(), y.options())});
    all.push_back(y.detach());
    return all;
  }
};

TEST_F(CudaProducts, AgreeWithTorchs) {
  struct Sizes {
    std::int64_t tokens, in, out;
  };
  for (const Precision precision :
       {Precision::kFp32, Precision::kTf32, Precision::kBf16Pure, Precision::kFp16}) {
    prepare_precision(precision, at::Device(at::kCUDA, 0));
    const double allowed = precision == Precision::kFp32 ? 1e-4 : 0.02;
    for (const auto& [tokens, in, out] : {Sizes{512, 768, 3072}, {100, 33, 7}, {1, 64, 1}}) {
      at::manual_seed(3);
      const auto options = at::device(at::kCUDA).dtype(operand_type(precision));
      const at::Tensor x = at::randn({tokens, in}, options).requires_grad_();
      const at::Tensor w = at::randn({out, in}, options).requires_grad_();
      const Tensors wanted = run(x, w, {});
      for (const auto& [tuned, parallel] : kWays) {
        const Tensors got = run(x, w, way(tuned, parallel));
        for (std::size_t i = 0; i < got.size(); ++i) {
          const double size = wanted[i].abs().max().item<double>();
          EXPECT_LE((got[i] - wanted[i]).abs().max().item<double>(), allowed * size)
              << i << " " << tokens << "x" << in << "x" << out << " " << tuned << parallel;
        }
      }
    }
  }
}

// Views of columns and of rows, transposed, and with gaps.
TEST_F(CudaProducts, ReadOperandsWhereTheyLie) {
  prepare_precision(Precision::kFp32, at::Device(at::kCUDA, 0));
  const LinearWay tuned = way(true, false);
  const at::Tensor all = at::randn({96, 3, 80}, at::device(at::kCUDA));
  const at::Tensor b = at::randn({40, 80}, at::device(at::kCUDA)).t();
  for (const at::Tensor& a : {all.select(1, 1), all.select(1, 0).narrow(0, 1, 7),
                              at::randn({80, 96}, at::device(at::kCUDA)).t(),
                              at::randn({96, 160}, at::device(at::kCUDA)).slice(1, 0, 160, 2)}) {
    at::Tensor c = at::empty({a.size(0), 40}, a.options());
    tuned.multiply(c, a, b);
    EXPECT_TRUE(at::allclose(c, at::mm(a, b), 1e-4, 1e-4)) << a.strides();
  }
}

TEST_F(CudaProducts, TrainAsTorchsDoEagerlyAndAsAGraph) {
  for (const char* precision : {"fp32", "tf32", "bf16", "fp16"}) {
    const std::vector<double> plain = five_losses({{"precision", precision}});
    EXPECT_FALSE(last_facts.numbers.contains("tuned_products"));
    for (const char* products : {"torch", "tuned"}) {
      for (const char* backward : {"serial", "parallel"}) {
        for (const char* compile : {"eager", "cuda_graph"}) {
          const Texts changes = {{"precision", precision},
                                 {"products", products},
                                 {"linear_backward", backward},
                                 {"compile", compile}};
          EXPECT_THAT(five_losses(changes), Pointwise(DoubleNear(0.05), plain))
              << precision << " " << products << " " << backward << " " << compile;
        }
      }
    }
    EXPECT_GT(last_facts.numbers.at("tuned_products"), 0);
    EXPECT_GE(last_facts.numbers.at("tuning_gain"), 1);
  }
  const Texts all = {{"precision", "bf16"},     {"weight_copies", "kept"},
                     {"fused_linear", "on"},    {"products", "tuned"},
                     {"compile", "cuda_graph"}, {"linear_backward", "parallel"}};
  EXPECT_THAT(five_losses(all), Pointwise(DoubleNear(0.05), five_losses({{"precision", "bf16"}})));
}

// The memory of a step must not grow, which it would if gradients belonged to the second stream.
TEST_F(CudaProducts, AStepWithTwoStreamsNeedsNoMoreMemory) {
  const auto peak = [&](const char* backward) {
    const auto workload = harness->make("lm_step", {{"model", "tiny"},
                                                    {"precision", "bf16"},
                                                    {"mode", "forward_backward"},
                                                    {"linear_backward", backward}});
    RecordedPhases phases;
    for (int i = 0; i < 2; ++i) workload->step(phases);
    harness->device->synchronize();
    const Bytes before = harness->device->memory().allocated;
    harness->device->reset_peak_memory();
    workload->step(phases);
    harness->device->synchronize();
    return harness->device->memory().peak_allocated.value - before.value;
  };
  const auto serial = static_cast<double>(peak("serial"));
  EXPECT_LE(static_cast<double>(peak("parallel")), 1.05 * serial);
}

TEST_F(CudaProducts, AnUntunedShapeCannotBeCaptured) {
  prepare_precision(Precision::kFp32, at::Device(at::kCUDA, 0));
  const LinearWay tuned = way(true, false);
  // The cache folder may have it, so its sizes are random.
  const std::int64_t n = 1000 + static_cast<std::int64_t>(std::random_device()() % 100'000);
  const at::Tensor a = at::randn({3, n}, at::device(at::kCUDA));
  const at::Tensor b = at::randn({n, 5}, at::device(at::kCUDA));
  at::Tensor c = at::empty({3, 5}, at::device(at::kCUDA));
  CapturedStep captured(*harness->device);
  try {
    int steps = 0;
    captured.capture([&](Phases& phases) {
      phases.enter("forward");
      if (++steps > 3) tuned.multiply(c, a, b);  // three steps warm up
    });
    FAIL() << "it was captured";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("is first computed while a CUDA graph is captured"));
  }
  tuned.multiply(c, a, b);
  EXPECT_TRUE(at::allclose(c, at::mm(a, b), 1e-3, 1e-2));
}

TEST_F(CudaProducts, TheWorkloadMatmulHasThem) {
  for (const char* precision : {"fp32", "tf32", "bf16", "fp16"}) {
    const auto workload =
        harness->make("matmul", {{"size", "256"}, {"precision", precision}, {"products", "tuned"}});
    const auto check = workload->check();
    ASSERT_TRUE(check.has_value());
    EXPECT_TRUE(check->passed) << precision << ": " << check->message;
  }
}

}  // namespace
}  // namespace sweepd
