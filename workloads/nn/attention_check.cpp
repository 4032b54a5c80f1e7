#include "workloads/nn/attention_check.h"

#include <c10/core/GradMode.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "workloads/nn/dtype_names.h"
#include "workloads/nn/torch_device.h"

namespace sweepd {
namespace {

constexpr std::int64_t kScores = std::int64_t{1} << 22;       // checked in a head
constexpr std::int64_t kChunkScores = std::int64_t{1} << 18;  // at a time: 2 MiB a matrix
constexpr std::int64_t kFewestRows = 64;

// For one head: [S, d], except those of the sampled rows, which are [rows, d].
struct Head {
  at::Tensor o, dq;  // sampled rows
  at::Tensor dk, dv;
};

at::Tensor wide(const at::Tensor& tensor) {
  return tensor.detach().to(at::kDouble);
}

// softmax(scale q k^T) v and its gradients as in a textbook, a few rows of q at a time.
Head reference(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const at::Tensor& d_o,
               const at::Tensor& rows, const AttentionInputs& inputs) {
  const std::int64_t length = k.size(0);
  const std::int64_t chunk = std::max<std::int64_t>(1, kChunkScores / length);
  const at::Tensor columns = at::arange(length, rows.options());
  Head head{at::empty_like(q), at::empty_like(q), at::zeros_like(k), at::zeros_like(v)};
  for (std::int64_t begin = 0; begin < q.size(0); begin += chunk) {
    const std::int64_t count = std::min(chunk, q.size(0) - begin);
    const at::Tensor some_q = q.narrow(0, begin, count), some_d_o = d_o.narrow(0, begin, count);
    at::Tensor scores = at::mm(some_q, k.t()) * inputs.scale;  // [count, S]
    if (inputs.mask == AttentionMask::kCausal) {
      const at::Tensor above = columns.unsqueeze(0).gt(rows.narrow(0, begin, count).unsqueeze(1));
      scores.masked_fill_(above, -std::numeric_limits<double>::infinity());
    }
    const at::Tensor p = at::softmax(scores, -1);
    const at::Tensor o = at::mm(p, v);
    const at::Tensor delta = (some_d_o * o).sum(-1, /*keepdim=*/true);
    const at::Tensor d_scores = p * (at::mm(some_d_o, v.t()) - delta) * inputs.scale;
    head.o.narrow(0, begin, count).copy_(o);
    head.dq.narrow(0, begin, count).copy_(at::mm(d_scores, k));
    head.dk.addmm_(d_scores.t(), some_q);
    head.dv.addmm_(p.t(), some_d_o);
  }
  return head;
}

// Returns a share of the tensor's largest value. A 16-bit kernel rounds the products of its inputs,
// the probabilities and the result to the type. naive and sdpa_math also round the scores, which at
// |score| < 8 costs up to 4 roundoffs in the exponent, in a different direction for each
// probability. fp32 sums of S and of d terms of random sign add the square root of their number.
// The errors seen in tests are at most half of this (naive in bf16); a missing scale or a mask off
// by one causes 0.1 and more. 3xTF32 may have twice the error of fp32: it leaves 2^-22 of a product
// out, and tensor cores cut sums off instead of rounding them.
double allowed_error(at::ScalarType type, FlashProducts products, const at::Tensor& k) {
  const double roundoff = type == at::kFloat ? 0 : type == at::kHalf ? 0x1p-11 : 0x1p-8;
  const double terms =
      std::sqrt(static_cast<double>(k.size(2))) + std::sqrt(static_cast<double>(k.size(3)));
  return 12 * roundoff + (products == FlashProducts::k3xTf32 ? 32 : 16) * 0x1p-24 * terms;
}

class Comparison {
 public:
  Comparison(double allowed, std::int64_t length)
      : allowed_(allowed), least_(1 / static_cast<double>(length)) {}
  void add(const char* name, std::int64_t head, const at::Tensor& expected, const at::Tensor& got) {
    const double largest = expected.abs().max().item<double>();
    const double difference = (expected - wide(got)).abs().max().item<double>();
    // Gradients of scores are differences of terms of about 1 / S. All of them may cancel (one row
    // of Q and K has softmax 1 and gradients 0), but their rounding errors remain.
    const double error = difference / std::max(largest, least_);
    if (!(error <= allowed_) && check.passed) {
      check.passed = false;
      check.message = fmt::format(
          "{} of head {} differs from float64 by {:.3g} of its largest value {:.3g}; allowed "
          "{:.3g}",
          name, head, error, largest, allowed_);
    }
    if (!(error <= check.largest_error)) check.largest_error = error;
  }
  Check check;

 private:
  double allowed_;
  double least_;
};

}  // namespace

std::vector<std::int64_t> sampled_rows(std::int64_t length) {
  const std::int64_t count = std::min(length, std::max(kFewestRows, kScores / length));
  std::vector<std::int64_t> rows;
  for (std::int64_t i = 0; i < count; ++i) {
    rows.push_back(count == 1 ? 0 : i * (length - 1) / (count - 1));
  }
  return rows;
}

Check check_attention(const AttentionFunction& attention, const AttentionInputs& inputs,
                      Gradients gradients, std::int64_t seed) {
  const auto own = [&](const at::Tensor& tensor) {
    return tensor.detach().requires_grad_(gradients == Gradients::kOn);
  };
  const at::Tensor q = own(inputs.q), k = own(inputs.k), v = own(inputs.v);
  const at::Tensor rows = at::tensor(sampled_rows(q.size(2)), at::kLong).to(q.device());
  std::vector<std::int64_t> row_shape = q.sizes().vec();
  row_shape[2] = rows.size(0);
  at::Generator random = seeded_generator(q.device(), seed + 0xc4ec);
  const at::Tensor row_gradients = at::empty(row_shape, q.options()).normal_(0, 1, random);

  at::Tensor o;
  std::vector<at::Tensor> found;
  {
    const c10::AutoGradMode mode(gradients == Gradients::kOn);
    o = attention(q, k, v);
    if (gradients == Gradients::kOn) {
      const at::Tensor d_o = at::zeros(q.sizes(), q.options()).index_copy(2, rows, row_gradients);
      found = torch::autograd::grad({o}, {q, k, v}, {d_o});
    }
  }

  const c10::NoGradGuard no_grad;
  Comparison comparison(allowed_error(q.scalar_type(), inputs.products, k), q.size(2));
  const std::int64_t heads = q.size(0) * q.size(1);
  for (std::int64_t head = 0; head < heads; head += std::max<std::int64_t>(1, heads - 1)) {
    const auto of_head = [&](const at::Tensor& tensor) {
      return tensor.select(0, head / q.size(1)).select(0, head % q.size(1)).detach();
    };
    const Head expected = reference(wide(of_head(q).index_select(0, rows)), wide(of_head(k)),
                                    wide(of_head(v)), wide(of_head(row_gradients)), rows, inputs);
    comparison.add("O", head, expected.o, of_head(o).index_select(0, rows));
    if (gradients == Gradients::kOff) continue;
    comparison.add("dQ", head, expected.dq, of_head(found[0]).index_select(0, rows));
    comparison.add("dK", head, expected.dk, of_head(found[1]));
    comparison.add("dV", head, expected.dv, of_head(found[2]));
  }
  return comparison.check;
}

}  // namespace sweepd
