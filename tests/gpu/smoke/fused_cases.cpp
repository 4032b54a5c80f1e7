#include "tests/gpu/smoke/fused_cases.h"

#include <algorithm>
#include <cmath>

namespace sweepd::gpu {
namespace {

std::size_t size_of(Element type) {
  return type == Element::kFp32 ? 4 : 2;
}

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

}  // namespace

double largest_of(std::initializer_list<double> errors) {
  double largest = 0;
  for (const double error : errors) {
    if (std::isnan(error)) return error;
    largest = std::max(largest, error);
  }
  return largest;
}

Elements::Elements(Element type, std::int64_t count)
    : type_(type), count_(count), buffer_(at(count) * size_of(type)) {}

Elements::Elements(Element type, std::int64_t count, std::mt19937& random, double mean)
    : Elements(type, count) {
  // A drawn part, copied on the device until all is full: drawing 3e8 numbers takes long.
  std::normal_distribution<double> draw(mean, 1);
  std::vector<double> values(at(std::min<std::int64_t>(count, 65537)));
  for (double& value : values) value = draw(random);
  write(values);
  for (std::size_t full = values.size(); full < at(count); full *= 2) {
    const std::size_t next = std::min(full, at(count) - full);
    check(cudaMemcpy(static_cast<unsigned char*>(data()) + full * size_of(type), data(),
                     next * size_of(type), cudaMemcpyDeviceToDevice),
          "cudaMemcpy");
  }
}

void Elements::write(const std::vector<double>& values) {
  const std::size_t bytes = values.size() * size_of(type_);
  if (type_ == Element::kFp32) {
    const std::vector<float> stored(values.begin(), values.end());
    check(cudaMemcpy(data(), stored.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  } else {
    std::vector<std::uint16_t> stored;
    for (const double value : values) stored.push_back(to_bf16(static_cast<float>(value)));
    check(cudaMemcpy(data(), stored.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  }
}

std::vector<double> Elements::read() const {
  const std::size_t bytes = at(count_) * size_of(type_);
  if (type_ == Element::kFp32) {
    std::vector<float> stored(at(count_));
    check(cudaMemcpy(stored.data(), data(), bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
    return {stored.begin(), stored.end()};
  }
  std::vector<std::uint16_t> stored(at(count_));
  check(cudaMemcpy(stored.data(), data(), bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
  std::vector<double> values;
  for (const std::uint16_t bits : stored) values.push_back(from_bf16(bits));
  return values;
}

double Elements::error(const std::vector<double>& wanted) const {
  const std::vector<double> got = read();
  const double unit = type_ == Element::kFp32 ? 2e-5 : 0x1p-7;
  double largest = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double error = std::abs(got[i] - wanted[i]) / (unit * (1 + std::abs(wanted[i])));
    if (std::isnan(error)) return error;
    largest = std::max(largest, error);
  }
  return largest;
}

double Elements::bytes() const {
  return static_cast<double>(at(count_) * size_of(type_));
}

NormCase::NormCase(Element in, Element out, std::int64_t rows, int columns)
    : in_(in),
      out_(out),
      x_(in, rows * columns, random_),
      w_(in, columns, random_, 1),
      y_(out, rows * columns),
      dy_(out, rows * columns, random_),
      dx_(in, rows * columns),
      dw_(in, columns),
      rstd_(Element::kFp32, rows),
      parts_(Element::kFp32, std::int64_t{most_norm_parts(rows)} * columns) {
  task_.x = x_.data();
  task_.w = w_.data();
  task_.y = y_.data();
  task_.dy = dy_.data();
  task_.dx = dx_.data();
  task_.dw = dw_.data();
  task_.rstd = rstd_.floats();
  task_.dw_parts = parts_.floats();
  task_.rows = rows;
  task_.columns = columns;
  task_.eps = 1e-5F;
}
void NormCase::forward() {
  check(norm_forward(in_, out_, task_, nullptr), "norm_forward");
}
void NormCase::backward() {
  check(norm_backward(in_, out_, task_, nullptr), "norm_backward");
}
double NormCase::error() {
  forward();
  backward();
  const std::vector<double> x = x_.read(), w = w_.read(), dy = dy_.read();
  std::vector<double> y(x.size()), dx(x.size()), dw(w.size());
  for (std::size_t begin = 0; begin < x.size(); begin += w.size()) {
    double squares = 0, products = 0;
    for (std::size_t c = 0; c < w.size(); ++c) {
      squares += x[begin + c] * x[begin + c];
      products += dy[begin + c] * w[c] * x[begin + c];
    }
    const auto columns = static_cast<double>(w.size());
    const double rstd = 1 / std::sqrt(squares / columns + 1e-5);
    for (std::size_t c = 0; c < w.size(); ++c) {
      const double value = x[begin + c];
      y[begin + c] = value * rstd * w[c];
      dx[begin + c] = rstd * (dy[begin + c] * w[c] - value * products * rstd * rstd / columns);
      dw[c] += dy[begin + c] * value * rstd;
    }
  }
  return largest_of({y_.error(y), dx_.error(dx), dw_.error(dw)});
}

RotaryCase::RotaryCase(Element type, std::int64_t batch, std::int64_t sequence, std::int64_t heads,
                       int n, bool inverse)
    : type_(type),
      x_(type, batch * sequence * heads * n * (inverse ? 1 : 3), random_),
      y_(type, batch * sequence * heads * n),
      cosines_(Element::kFp32, sequence * n),
      sines_(Element::kFp32, sequence * n) {
  std::vector<double> cosines, sines;
  for (std::int64_t i = 0; i < sequence * n; ++i) {
    const auto angle = static_cast<double>(i / 2);
    cosines.push_back(std::cos(angle));
    sines.push_back(std::sin(angle) * (i % 2 == 0 ? -1 : 1));
  }
  cosines_.write(cosines);
  sines_.write(sines);
  task_.x = x_.data();
  task_.y = y_.data();
  task_.cosines = cosines_.floats();
  task_.sines = sines_.floats();
  task_.outer = batch;
  task_.inner = inverse ? heads : sequence;
  task_.middle = inverse ? sequence : heads;
  task_.middle_stride = n;
  task_.inner_stride = task_.middle * n * (inverse ? 1 : 3);
  task_.outer_stride = task_.inner * task_.inner_stride;
  task_.n = n;
  task_.inverse = inverse;
}
void RotaryCase::run() {
  check(rotate(type_, task_, nullptr), "rotate");
}
double RotaryCase::error() {
  run();
  const RotaryTask& t = task_;
  const std::vector<double> x = x_.read();
  std::vector<double> y;
  for (std::int64_t row = 0; row < t.outer * t.middle * t.inner; ++row) {
    const std::int64_t inner = row % t.inner, middle = row / t.inner % t.middle;
    const std::int64_t outer = row / t.inner / t.middle;
    for (std::int64_t c = 0; c < t.n; c += 2) {
      const std::int64_t position = t.inverse ? middle : inner;
      const double angle = static_cast<double>((position * t.n + c) / 2) * (t.inverse ? -1 : 1);
      const double* pair =
          &x[at(outer * t.outer_stride + inner * t.inner_stride + middle * t.middle_stride + c)];
      y.push_back(pair[0] * std::cos(angle) - pair[1] * std::sin(angle));
      y.push_back(pair[0] * std::sin(angle) + pair[1] * std::cos(angle));
    }
  }
  return y_.error(y);
}

GateCase::GateCase(Element type, std::int64_t rows, int columns)
    : type_(type),
      ab_(type, rows * columns * 2, random_),
      y_(type, rows * columns),
      dy_(type, rows * columns, random_),
      d_ab_(type, rows * columns * 2) {
  const std::size_t half = at(columns) * size_of(type);
  task_.a = ab_.data();
  task_.b = static_cast<unsigned char*>(ab_.data()) + half;
  task_.a_stride = task_.b_stride = 2 * columns;
  task_.y = y_.data();
  task_.dy = dy_.data();
  task_.dy_stride = columns;
  task_.da = d_ab_.data();
  task_.db = static_cast<unsigned char*>(d_ab_.data()) + half;
  task_.rows = rows;
  task_.columns = columns;
}
void GateCase::forward() {
  check(gate_forward(type_, task_, nullptr), "gate_forward");
}
void GateCase::backward() {
  check(gate_backward(type_, task_, nullptr), "gate_backward");
}
double GateCase::error() {
  forward();
  backward();
  const std::vector<double> ab = ab_.read(), dy = dy_.read();
  const std::size_t columns = at(task_.columns);
  std::vector<double> y(dy.size()), d_ab(ab.size());
  for (std::size_t i = 0; i < dy.size(); ++i) {
    const std::size_t from = i / columns * 2 * columns + i % columns;
    const double a = ab[from], b = ab[from + columns], s = 1 / (1 + std::exp(-a));
    y[i] = a * s * b;
    d_ab[from] = dy[i] * b * s * (1 + a * (1 - s));
    d_ab[from + columns] = dy[i] * a * s;
  }
  return largest_of({y_.error(y), d_ab_.error(d_ab)});
}

}  // namespace sweepd::gpu
