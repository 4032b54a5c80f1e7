// Compares linear layers that are computed by a table of functions with at::linear, on a CPU, whose
// table here is at::mm.
#include "workloads/linear/linear.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/function.h>

#include <stdexcept>

#include "tests/workloads/workload_harness.h"
#include "workloads/nn/numerics.h"

namespace sweepd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Tensors = std::vector<at::Tensor>;

std::vector<std::string> table_calls;  // of kLoggedKernels

const LinearKernels kLoggedKernels{
    [](at::Tensor& c, const at::Tensor& a, const at::Tensor& b) {
      table_calls.push_back(c10::str(a.sizes(), b.sizes()));
      at::mm_out(c, a, b);
    },
    [](at::Device, const std::function<void()>& first, const std::function<void()>& second) {
      table_calls.emplace_back("fork");
      first();
      table_calls.emplace_back("other");
      second();
      table_calls.emplace_back("join");
    },
    [] {
      return TunedProducts{15, 300, 200};
    }};

struct LinearCase {
  std::vector<std::int64_t> x_sizes;
  std::int64_t out;
  Precision precision;
};

// The output and both gradients; of those that are needed.
Tensors linear_results(const LinearCase& of, const LinearWay& way, bool need_dx = true,
                       bool need_dw = true) {
  at::manual_seed(7);
  at::Tensor x = at::randn(of.x_sizes), w = at::randn({of.out, of.x_sizes.back()});
  if (of.precision == Precision::kBf16Pure) {
    x = x.to(at::kBFloat16);
    w = w.to(at::kBFloat16);
  }
  x.set_requires_grad(need_dx);
  w.set_requires_grad(need_dw);
  const at::Tensor y = [&] {
    const AutocastGuard autocast(of.precision, at::kCPU);
    return linear(x, w, way);
  }();
  Tensors results = {y.detach()};
  if (!y.requires_grad()) return results;
  // Not contiguous, as the gradient of a transposed output.
  const at::Tensor seed = at::randn(y.sizes()).to(y.scalar_type()).t().contiguous().t();
  y.backward(seed);
  if (need_dx) results.push_back(x.grad());
  if (need_dw) results.push_back(w.grad());
  return results;
}

TEST(Linear, AgreesWithTorchInEachPrecision) {
  for (const Precision precision :
       {Precision::kFp32, Precision::kBf16, Precision::kBf16Pure, Precision::kFp16}) {
    for (const LinearCase& of : {LinearCase{{12, 8}, 5, precision}, {{1, 3}, 1, precision}}) {
      for (const auto& [tuned, parallel] : {std::pair(true, false), {false, true}, {true, true}}) {
        const Tensors wanted = linear_results(of, {});
        const Tensors got = linear_results(of, linear_way(tuned, parallel, kLoggedKernels));
        ASSERT_EQ(got.size(), 3u);
        for (std::size_t i = 0; i < got.size(); ++i) {
          EXPECT_EQ(got[i].scalar_type(), wanted[i].scalar_type()) << i;
          const double allowed = precision == Precision::kFp32 ? 1e-6 : 0.01;
          EXPECT_TRUE(at::allclose(got[i], wanted[i], allowed, allowed))
              << i << " " << static_cast<int>(precision) << tuned << parallel;
        }
      }
    }
  }
}

TEST(Linear, TakesBatchDimensions) {
  for (const std::vector<std::int64_t>& sizes :
       {std::vector<std::int64_t>{2, 3, 8}, {2, 3, 2, 8}, {8}}) {
    at::manual_seed(7);
    at::Tensor x = at::randn(sizes), w = at::randn({5, 8});
    x.set_requires_grad(true);
    w.set_requires_grad(true);
    const at::Tensor wanted = at::linear(x, w);
    const at::Tensor got = linear(x, w, linear_way(true, true, kLoggedKernels));
    ASSERT_EQ(got.sizes(), wanted.sizes());
    EXPECT_TRUE(at::allclose(got, wanted, 1e-6, 1e-6));
    const at::Tensor seed = at::randn(wanted.sizes());
    const Tensors right = torch::autograd::grad({wanted}, {x, w}, {seed});
    const Tensors gradients = torch::autograd::grad({got}, {x, w}, {seed});
    EXPECT_TRUE(at::allclose(gradients[0], right[0], 1e-6, 1e-5));
    EXPECT_TRUE(at::allclose(gradients[1], right[1], 1e-6, 1e-5));
  }
}

TEST(Linear, ForksBeforeBothGradientsAndJoinsAfter) {
  table_calls.clear();
  linear_results({{12, 8}, 5, Precision::kFp32}, linear_way(true, true, kLoggedKernels));
  EXPECT_THAT(table_calls, ElementsAre("[12, 8][8, 5]", "fork", "[12, 5][5, 8]", "other",
                                       "[5, 12][12, 8]", "join"));
  // Torch's products, on two branches.
  table_calls.clear();
  linear_results({{12, 8}, 5, Precision::kFp32}, linear_way(false, true, kLoggedKernels));
  EXPECT_THAT(table_calls, ElementsAre("fork", "other", "join"));
  table_calls.clear();
  linear_results({{12, 8}, 5, Precision::kFp32}, linear_way(true, false, kLoggedKernels));
  EXPECT_THAT(table_calls, ElementsAre("[12, 8][8, 5]", "[12, 5][5, 8]", "[5, 12][12, 8]"));
}

TEST(Linear, ComputesOnlyTheGradientsThatAreNeeded) {
  const LinearWay way = linear_way(true, true, kLoggedKernels);
  const LinearCase of{{12, 8}, 5, Precision::kBf16};
  const auto calls_with = [&](bool need_dx, bool need_dw) {
    const Tensors wanted = linear_results(of, {}, need_dx, need_dw);
    table_calls.clear();
    const Tensors got = linear_results(of, way, need_dx, need_dw);
    EXPECT_EQ(got.size(), wanted.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_TRUE(at::allclose(got[i], wanted[i], 0.01, 0.01)) << i;
    }
    return table_calls;
  };
  EXPECT_THAT(calls_with(true, false), ElementsAre("[12, 8][8, 5]", "[12, 5][5, 8]"));
  EXPECT_THAT(calls_with(false, true), ElementsAre("[12, 8][8, 5]", "[5, 12][12, 8]"));
  EXPECT_THAT(calls_with(false, false), ElementsAre("[12, 8][8, 5]"));
}

TEST(Linear, IsTorchsByDefault) {
  table_calls.clear();
  EXPECT_TRUE(linear_way(false, false, kLoggedKernels).is_torch());
  EXPECT_TRUE(linear_way(false, false, at::kCPU).is_torch());
  const at::Tensor x = at::randn({4, 3}), w = at::randn({2, 3}).requires_grad_();
  const auto node = [&](const LinearWay& way) { return linear(x, w, way).grad_fn()->name(); };
  EXPECT_EQ(node({}), at::linear(x, w).grad_fn()->name());
  EXPECT_TRUE(table_calls.empty());
}

TEST(Linear, NamesWrongShapes) {
  const LinearWay way = linear_way(true, false, kLoggedKernels);
  try {
    linear(at::randn({4, 3}), at::randn({3, 2}), way);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), HasSubstr("w [out, in]; got [4, 3] and [3, 2]"));
  }
}

TEST(Linear, FactsSayWhatTuningGained) {
  RecordedFacts facts;
  add_tuning(linear_way(false, true, kLoggedKernels), facts);
  EXPECT_TRUE(facts.numbers.empty());
  add_tuning(linear_way(true, false, kLoggedKernels), facts);
  EXPECT_EQ(facts.numbers,
            (std::map<std::string, double>{{"tuned_products", 15}, {"tuning_gain", 1.5}}));
}

// The model with the table: the same loss and gradients, and all its products go through it.
TEST(Linear, OfTheModelAllGoThroughTheTable) {
  for (const auto& [precision, copies] :
       {std::pair("fp32", "cast"), {"bf16", "cast"}, {"bf16", "kept"}}) {
    for (const char* joint : {"off", "on"}) {
      LmStepParams params = small_case();
      params.precision = precision;
      params.weight_copies = copies;
      params.fused_linear = joint;
      const auto gradients = [&](const LinearWay& way) {
        ModelOptions options = model_options(params, at::kCPU, 1);
        options.linear = way;
        const LanguageModel model(options);
        const at::Tensor logits = [&] {
          const AutocastGuard autocast(precision_from(params.precision), at::kCPU);
          return model.logits(random_tokens(params, at::kCPU, 1).tokens);
        }();
        logits.to(at::kFloat).square().sum().backward();
        Tensors all = {logits.detach()};
        for (const at::Tensor& leaf : model.leaves()) all.push_back(leaf.grad());
        return all;
      };
      const Tensors wanted = gradients({});
      table_calls.clear();
      const Tensors got = gradients(linear_way(true, false, kLoggedKernels));
      const std::size_t layers = 2, products = joint == std::string("on") ? 4 : 7;
      EXPECT_EQ(table_calls.size(), 3 * (products * layers + 1));
      ASSERT_EQ(got.size(), wanted.size());
      for (std::size_t i = 0; i < got.size(); ++i) {
        EXPECT_EQ(got[i].scalar_type(), wanted[i].scalar_type()) << i;
        const double size = wanted[i].abs().max().item<double>();
        const double allowed = precision == std::string("fp32") ? 1e-5 : 0.03;
        EXPECT_LE((got[i] - wanted[i]).abs().max().item<double>(), allowed * size) << i;
      }
    }
  }
}

TEST(Linear, ACpuHasNoTunedProductsAndNoSecondStream) {
  const auto reason = [](const std::string& workload, const Texts& changes) {
    Harness harness;
    try {
      harness.make(workload, changes);
    } catch (const Unavailable& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  const Texts tiny = {{"model", "tiny"}, {"context", "16"}, {"batch", "1"}, {"vocab", "64"}};
  const auto with = [&](const char* name, const char* value) {
    Texts texts = tiny;
    texts.emplace_back(name, value);
    return texts;
  };
  const auto tuned = HasSubstr("products: `tuned` needs a CUDA device");
  EXPECT_THAT(reason("lm_step", with("products", "tuned")), tuned);
  EXPECT_THAT(reason("matmul", {{"size", "8"}, {"products", "tuned"}}), tuned);
  EXPECT_THAT(reason("lm_step", with("linear_backward", "parallel")),
              HasSubstr("linear_backward: `parallel` needs a CUDA device, which runs work of two "
                        "streams at once; a CPU has only `serial`"));
  EXPECT_EQ(reason("lm_step", with("products", "torch")), "none");
}

}  // namespace
}  // namespace sweepd
