// Compares FlashAttention on CUDA with float64, forward and gradients, on the paths of
// docs/GPU_KERNELS.md. tools/gpu_check runs `CudaFlashSmall` under compute-sanitizer. Skipped
// without a GPU; the kernels' arithmetic and their barriers are tested without one in tests/cuda.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>
#include "workloads/torch/aten.h"

#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include "tests/gpu/cuda_fixture.h"
#include "workloads/flash/flash.h"
#include "workloads/nn/attention_check.h"
#include "workloads/nn/torch_device.h"

namespace sweepd {
namespace {

struct Shape {
  std::int64_t batch = 1, heads = 1, sequence = 1, head_dim = 64;
};

class CudaFlash : public CudaFixture {
 protected:
  void prepare() override { require_flash(torch_device(*harness->device), at::kBFloat16, 64); }

  at::Tensor random(const Shape& shape, at::ScalarType type) {
    const at::Device device = torch_device(*harness->device);
    at::Generator generator = seeded_generator(device, ++seed);
    return at::empty({shape.batch, shape.heads, shape.sequence, shape.head_dim},
                     at::TensorOptions().device(device).dtype(type))
        .normal_(0, 1, generator);
  }

  void expect_right(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                    AttentionMask mask, FlashProducts products = FlashProducts::kOfType) {
    const FlashOptions options{mask, 1 / std::sqrt(static_cast<double>(q.size(3))), {}, products};
    const auto flash = [&](const at::Tensor& q_, const at::Tensor& k_, const at::Tensor& v_) {
      return flash_attention(q_, k_, v_, options);
    };
    const Check check =
        check_attention(flash, {q, k, v, mask, options.scale, products}, Gradients::kOn, ++seed);
    EXPECT_TRUE(check.passed) << check.message;
  }

  void expect_right(const Shape& shape, at::ScalarType type, AttentionMask mask) {
    SCOPED_TRACE(::testing::Message()
                 << "batch " << shape.batch << " heads " << shape.heads << " sequence "
                 << shape.sequence << " d " << shape.head_dim << " " << c10::toString(type)
                 << (mask == AttentionMask::kCausal ? " causal" : ""));
    const at::Tensor q = random(shape, type), k = random(shape, type), v = random(shape, type);
    expect_right(q, k, v, mask);
  }

  std::int64_t seed = 0;
};
using CudaFlashSmall = CudaFlash;

constexpr AttentionMask kMasks[] = {AttentionMask::kNone, AttentionMask::kCausal};
constexpr at::ScalarType kTypes[] = {at::kFloat, at::kHalf, at::kBFloat16};

TEST_F(CudaFlashSmall, SequencesThatNoTileDivides) {
  for (const AttentionMask mask : kMasks) {
    for (const at::ScalarType type : kTypes) {
      for (const std::int64_t head_dim : {16, 64, 80, 128}) {
        for (const std::int64_t sequence : {1, 63, 129, 300}) {
          expect_right({2, 3, sequence, head_dim}, type, mask);
        }
      }
    }
  }
}

// More tiles than the largest GPU has SMs, so that a persistent block has several.
TEST_F(CudaFlashSmall, ManyHeads) {
  for (const AttentionMask mask : kMasks) {
    for (const std::int64_t head_dim : {64, 80, 128}) {
      expect_right({3, 65, 300, head_dim}, at::kBFloat16, mask);
    }
  }
}

// Columns that are not a multiple of 8 are padded.
TEST_F(CudaFlashSmall, AnyHeadDimension) {
  for (const std::int64_t head_dim : {1, 17, 33, 63, 65, 100, 127}) {
    expect_right({1, 2, 70, head_dim}, at::kBFloat16, AttentionMask::kCausal);
    expect_right({1, 2, 70, head_dim}, at::kFloat, AttentionMask::kNone);
  }
}

// Rows are copied 16 bytes at a time, or 4 where they begin anywhere. With a sequence of 1,500 each
// block has several groups.
TEST_F(CudaFlashSmall, SplitTf32) {
  constexpr FlashProducts kSplit = FlashProducts::k3xTf32;
  for (const AttentionMask mask : kMasks) {
    for (const std::int64_t head_dim : {16, 63, 64, 80, 128}) {
      for (const std::int64_t sequence : {1, 129, 300}) {
        const auto make = [&](std::int64_t begin) {
          return random({2, 2, sequence, head_dim + 1}, at::kFloat).narrow(3, begin, head_dim);
        };
        expect_right(make(1), make(0), make(1), mask, kSplit);
      }
      const auto dense = [&] { return random({1, 1, 1500, head_dim}, at::kFloat); };
      expect_right(dense(), dense(), dense(), mask, kSplit);
    }
  }
}

double largest(const at::Tensor& difference) {
  return difference.abs().max().item<double>();
}

// On Hopper heads above 32 have their own kernels. They must agree with those of other GPUs.
TEST_F(CudaFlashSmall, ThePathsAgree) {
  const auto get =
      reinterpret_cast<GetFlashKernels>(dlsym(RTLD_DEFAULT, "sweepd_cuda_flash_portable_kernels"));
  ASSERT_NE(get, nullptr);
  const FlashKernels& portable = *get();
  for (const AttentionMask mask : kMasks) {
    for (const std::int64_t head_dim : {40, 64, 80, 96, 112, 128}) {
      const Shape shape{2, 2, 333, head_dim};
      const at::Tensor q = random(shape, at::kHalf), k = random(shape, at::kHalf);
      const at::Tensor v = random(shape, at::kHalf), d_o = random(shape, at::kHalf);
      const FlashKernels& fastest = require_flash(q.device(), at::kHalf, head_dim);
      const FlashOptions options{mask, 0.125};
      const FlashOutput a = fastest.forward(q, k, v, options);
      const FlashOutput b = portable.forward(q, k, v, options);
      EXPECT_LT(largest(a.o - b.o), 0.01);
      EXPECT_LT(largest(a.lse - b.lse), 0.001);
      const FlashGradients da = fastest.backward(d_o, q, k, v, a.o, a.lse, options);
      const FlashGradients db = portable.backward(d_o, q, k, v, b.o, b.lse, options);
      EXPECT_LT(largest(da.dq - db.dq), 0.02);
      EXPECT_LT(largest(da.dk - db.dk), 0.02);
      EXPECT_LT(largest(da.dv - db.dv), 0.02);
    }
  }
}

TEST_F(CudaFlash, LongSequences) {
  for (const AttentionMask mask : kMasks) {
    for (const at::ScalarType type : kTypes) {
      for (const std::int64_t head_dim : {32, 64, 96, 128}) {
        expect_right({2, 4, 2048, head_dim}, type, mask);
        expect_right({1, 2, 4001, head_dim}, type, mask);
      }
    }
  }
}

TEST_F(CudaFlash, TheLeaderboardsShape) {
  expect_right({1, 16, 16384, 64}, at::kBFloat16, AttentionMask::kCausal);
  expect_right({1, 1, 16384, 64}, at::kFloat, AttentionMask::kCausal);
  const auto make = [&] { return random({1, 1, 16384, 64}, at::kFloat); };
  expect_right(make(), make(), make(), AttentionMask::kCausal, FlashProducts::k3xTf32);
}

// A model passes [B, S, h, d] seen as [B, h, S, d].
TEST_F(CudaFlash, TransposedStrides) {
  for (const std::int64_t head_dim : {64, 96, 128}) {
    for (const at::ScalarType type : {at::kBFloat16, at::kFloat}) {
      const auto make = [&] { return random({2, 500, 4, head_dim}, type).transpose(1, 2); };
      expect_right(make(), make(), make(), AttentionMask::kCausal);
    }
  }
}

// fp32 is copied 16 bytes at a time, or 4 where rows begin anywhere. With a sequence of 1,500 each
// block has several groups.
TEST_F(CudaFlashSmall, Fp32RowsThatBeginAnywhere) {
  for (const AttentionMask mask : kMasks) {
    for (const std::int64_t head_dim : {63, 64, 128}) {
      for (const std::int64_t sequence : {200, 1500}) {
        const auto make = [&](std::int64_t begin) {
          return random({1, 2, sequence, head_dim + 1}, at::kFloat).narrow(3, begin, head_dim);
        };
        expect_right(make(1), make(0), make(1), mask);
      }
    }
  }
}

// The gradient of a sum is expanded, with strides of 0.
TEST_F(CudaFlash, GradientOfASum) {
  for (const at::ScalarType type : kTypes) {
    const at::Tensor q = random({1, 2, 200, 64}, type).requires_grad_(true);
    const at::Tensor v = random({1, 2, 200, 64}, type).requires_grad_(true);
    const at::Tensor o = flash_attention(q, q, v, {AttentionMask::kNone, 0.125});
    const at::Tensor dv = torch::autograd::grad({o.sum()}, {v})[0];
    // Every row of probabilities adds up to 1, so all columns of dv are equal and add up to S.
    const at::Tensor columns = dv.to(at::kDouble).sum(2);
    EXPECT_LT((columns - 200).abs().max().item<double>(), 2) << c10::toString(type);
  }
}

TEST_F(CudaFlash, NonFiniteRowsOfQStayInTheirRow) {
  for (const at::ScalarType type : {at::kBFloat16, at::kFloat}) {
    for (const std::int64_t head_dim : {64, 96}) {
      for (const double wrong :
           {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        at::Tensor q = random({1, 1, 300, head_dim}, type);
        const at::Tensor k = random({1, 1, 300, head_dim}, type);
        q.select(2, 77).fill_(wrong);
        const at::Tensor o = flash_attention(q, k, k, {AttentionMask::kNone, 0.125});
        const at::Tensor finite = at::isfinite(o).all(3).to(at::kCPU);  // [1, 1, S]
        EXPECT_EQ(finite.sum().item<std::int64_t>(), 299);
        EXPECT_FALSE(finite.select(2, 77).item<bool>());
      }
    }
  }
}

TEST_F(CudaFlash, ForwardIsTheSameEveryTime) {
  for (const at::ScalarType type : {at::kBFloat16, at::kFloat}) {
    const at::Tensor q = random({1, 4, 1100, 64}, type);
    const FlashOptions options{AttentionMask::kCausal, 0.125};
    const at::Tensor first = flash_attention(q, q, q, options);
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(flash_attention(q, q, q, options).equal(first));
  }
}

}  // namespace
}  // namespace sweepd
