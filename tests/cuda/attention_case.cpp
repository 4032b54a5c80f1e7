#include "tests/cuda/attention_case.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace sweepd::gpu {

std::string name_of(const Shape& shape) {
  return "b" + std::to_string(shape.batch) + "_h" + std::to_string(shape.heads) + "_s" +
         std::to_string(shape.sequence) + "_d" + std::to_string(shape.head_dim) +
         (shape.causal ? "_causal" : "") + (shape.shift != 0 ? "_shifted" : "");
}

AttentionCase::AttentionCase(Element type, const Shape& shape, std::uint32_t seed)
    : type_(type), shape_(shape) {
  problem.batch = shape.batch;
  problem.heads = shape.heads;
  problem.sequence = shape.sequence;
  problem.head_dim = shape.head_dim;
  problem.causal = shape.causal;
  problem.scale = 1 / std::sqrt(static_cast<float>(shape.head_dim));
  // Both kinds of strides: [B, h, S, d], and the transposed [B, S, h, d] that a model passes.
  for (Matrix* matrix : {&problem.q, &problem.v, &problem.d_o, &problem.dk}) {
    *matrix = allocate(true);
  }
  for (Matrix* matrix : {&problem.k, &problem.o, &problem.dq, &problem.dv}) {
    *matrix = allocate(false);
  }
  const auto lines = static_cast<std::size_t>(shape.batch * shape.heads);
  const auto line_floats = [&](int rows, float value) {
    storage_.emplace_back(lines * static_cast<std::size_t>(rows), value);
    return storage_.back().data();
  };
  problem.lse = line_floats(shape.sequence, NAN);
  problem.lse_log2 = line_floats(padded_rows(shape.sequence), NAN);
  problem.delta = line_floats(padded_rows(shape.sequence), NAN);
  problem.dq_sum = line_floats(padded_rows(shape.sequence) * round_up(shape.head_dim, 64), 0);
  q_ = random(problem.q, seed, shape.offset);
  k_ = random(problem.k, seed + 1, -shape.offset);
  v_ = random(problem.v, seed + 2, 0);
  d_o_ = random(problem.d_o, seed + 3, 0);
  compute_reference();
}

std::size_t AttentionCase::index(int batch, int head, int row, int column) const {
  return static_cast<std::size_t>(
      ((batch * shape_.heads + head) * shape_.sequence + row) * shape_.head_dim + column);
}

Matrix AttentionCase::allocate(bool heads_inside) {
  const std::int64_t row = heads_inside ? shape_.heads * shape_.head_dim : shape_.head_dim;
  const std::int64_t head =
      heads_inside ? shape_.head_dim : std::int64_t{shape_.sequence} * shape_.head_dim;
  const std::int64_t batch = std::int64_t{shape_.heads} * shape_.sequence * shape_.head_dim;
  // 32 bytes of slack for the alignment; NaN, so that elements that no kernel writes are noticed.
  storage_.emplace_back(static_cast<std::size_t>(shape_.batch * batch) + 8, NAN);
  auto address = reinterpret_cast<std::uintptr_t>(storage_.back().data());
  address = (address + 15) / 16 * 16 + static_cast<std::uintptr_t>(shape_.shift) * 4;
  return {reinterpret_cast<void*>(address), batch, head, row};
}

void AttentionCase::set(const Matrix& matrix, int batch, int head, int row, int column,
                        float value) {
  if (type_ == Element::kFp32) {
    row_of<float>(matrix, batch, head, row)[column] = value;
  } else {
    row_of<std::uint16_t>(matrix, batch, head, row)[column] = to_bits(type_, value);
  }
}

float AttentionCase::get(const Matrix& matrix, int batch, int head, int row, int column) const {
  if (type_ == Element::kFp32) return row_of<float>(matrix, batch, head, row)[column];
  return from_bits(type_, row_of<std::uint16_t>(matrix, batch, head, row)[column]);
}

AttentionCase::Values AttentionCase::random(const Matrix& matrix, std::uint32_t seed, float mean) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal(mean);
  Values values(index(shape_.batch, 0, 0, 0));
  for (int b = 0; b < shape_.batch; ++b) {
    for (int h = 0; h < shape_.heads; ++h) {
      for (int s = 0; s < shape_.sequence; ++s) {
        for (int c = 0; c < shape_.head_dim; ++c) {
          set(matrix, b, h, s, c, normal(generator));
          values[index(b, h, s, c)] = get(matrix, b, h, s, c);  // after rounding
        }
      }
    }
  }
  return values;
}

void AttentionCase::compute_reference() {
  const int rows = shape_.sequence, columns = shape_.head_dim;
  const double scale = problem.scale;
  for (Values* values : {&o_, &dq_, &dk_, &dv_}) values->assign(q_.size(), 0);
  lse_.assign(q_.size() / static_cast<std::size_t>(columns), 0);
  for (int b = 0; b < shape_.batch; ++b) {
    for (int h = 0; h < shape_.heads; ++h) {
      for (int i = 0; i < rows; ++i) {
        const int end = shape_.causal ? i + 1 : rows;
        std::vector<double> p(static_cast<std::size_t>(end)), dp(p);
        double largest = -INFINITY, sum = 0, delta = 0;
        const auto dot = [&](const Values& x, int xi, const Values& y, int yi) {
          double total = 0;
          for (int c = 0; c < columns; ++c) total += x[index(b, h, xi, c)] * y[index(b, h, yi, c)];
          return total;
        };
        for (int j = 0; j < end; ++j) {
          p[static_cast<std::size_t>(j)] = dot(q_, i, k_, j) * scale;
          dp[static_cast<std::size_t>(j)] = dot(d_o_, i, v_, j);
          largest = std::max(largest, p[static_cast<std::size_t>(j)]);
        }
        for (double& value : p) sum += value = std::exp(value - largest);
        lse_[index(b, h, i, 0) / static_cast<std::size_t>(columns)] = largest + std::log(sum);
        for (int j = 0; j < end; ++j) {
          p[static_cast<std::size_t>(j)] /= sum;
          delta += p[static_cast<std::size_t>(j)] * dp[static_cast<std::size_t>(j)];
        }
        for (int j = 0; j < end; ++j) {
          const double pij = p[static_cast<std::size_t>(j)];
          const double ds = pij * (dp[static_cast<std::size_t>(j)] - delta) * scale;
          for (int c = 0; c < columns; ++c) {
            o_[index(b, h, i, c)] += pij * v_[index(b, h, j, c)];
            dv_[index(b, h, j, c)] += pij * d_o_[index(b, h, i, c)];
            dq_[index(b, h, i, c)] += ds * k_[index(b, h, j, c)];
            dk_[index(b, h, j, c)] += ds * q_[index(b, h, i, c)];
          }
        }
      }
    }
  }
}

double AttentionCase::error(const Matrix& got, const Values& expected) const {
  double largest = 0;
  for (int b = 0; b < shape_.batch; ++b) {
    for (int h = 0; h < shape_.heads; ++h) {
      for (int s = 0; s < shape_.sequence; ++s) {
        for (int c = 0; c < shape_.head_dim; ++c) {
          const double off = std::abs(get(got, b, h, s, c) - expected[index(b, h, s, c)]);
          if (!(off <= largest)) largest = off;
          if (std::isnan(off)) return off;
        }
      }
    }
  }
  return largest;
}

double AttentionCase::output_error() const {
  return error(problem.o, o_);
}
double AttentionCase::dq_error() const {
  return error(problem.dq, dq_);
}
double AttentionCase::dk_error() const {
  return error(problem.dk, dk_);
}
double AttentionCase::dv_error() const {
  return error(problem.dv, dv_);
}

double AttentionCase::lse_error() const {
  double largest = 0;
  for (std::size_t i = 0; i < lse_.size(); ++i) {
    const double off = std::abs(problem.lse[i] - lse_[i]);
    if (!(off <= largest)) largest = off;
  }
  return largest;
}

// Results are of size 1 to 10 (a causal row that sees one key has that key's value) and are rounded
// once. Probabilities and their gradients are rounded before they are summed, with errors of either
// sign.
double AttentionCase::allowed() const {
  // Rounding errors of ds are multiplied by k or q, which are larger with an offset.
  const double size = 1 + std::abs(static_cast<double>(shape_.offset));
  switch (type_) {
    case Element::kFp32:
      // The error of a probability is the rounding error of its score, which is of size offset^2
      // sqrt(d).
      return 2e-5 + 10 * 0x1p-23 * shape_.offset * shape_.offset * std::sqrt(shape_.head_dim);
    case Element::kFp16:
      return 8 * 0x1p-11 * 3 * size;
    case Element::kBf16:
      return 8 * 0x1p-8 * 3 * size;
  }
  return 0;
}

double AttentionCase::allowed_of_ds() const {
  const double size = 1 + std::abs(static_cast<double>(shape_.offset));
  return type_ == Element::kFp32 ? 2e-5 + 0.6 * size * (allowed() - 2e-5) : allowed();
}

void AttentionCase::expect_right(double allowed_of_lse) const {
  EXPECT_LE(output_error(), allowed());
  EXPECT_LE(lse_error(), allowed_of_lse);
  EXPECT_LE(dq_error(), allowed_of_ds());
  EXPECT_LE(dk_error(), allowed_of_ds());
  EXPECT_LE(dv_error(), allowed());
}

}  // namespace sweepd::gpu
