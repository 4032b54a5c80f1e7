#include <algorithm>
#include <cmath>

#include "tests/gpu/smoke/fused_cases.h"

namespace sweepd::gpu {

std::vector<std::int64_t> adamw_counts() {
  std::vector<std::int64_t> counts;
  for (std::int64_t i = 0; i < 100; ++i) counts.push_back(1 + i * i * 7);
  return counts;
}

AdamWCase::Weights::Weights(Element gradient, std::int64_t count_, std::mt19937& random)
    : count(count_),
      p(Element::kFp32, count, random),
      m(Element::kFp32, count, random),
      v(Element::kFp32, count),
      g(gradient, count, random),
      copy(gradient, count) {}

AdamWTensor AdamWCase::Weights::tensor() const {
  return {p.floats(), g.data(), m.floats(), v.floats(), copy.data(), count};
}

AdamWCase::AdamWCase(Element gradient, const std::vector<std::int64_t>& counts)
    : gradient_(gradient), updates_(Element::kFp32, 1) {
  updates_.write({2});
  AdamWTask empty;
  empty.updates = updates_.floats();
  empty.lr = 0.01;
  empty.beta1 = 0.9;
  empty.beta2 = 0.999;
  empty.eps = 1e-8;
  empty.weight_decay = 0.1;
  tasks_.push_back(empty);
  for (const std::int64_t count : counts) {
    const AdamWTensor tensor = all_.emplace_back(gradient, count, random_).tensor();
    if (tasks_.back().add(tensor)) continue;
    tasks_.push_back(empty);
    tasks_.back().add(tensor);
  }
}
void AdamWCase::run() {
  for (const AdamWTask& task : tasks_) {
    check(adamw_update(gradient_, task, nullptr), "adamw_update");
  }
}
double AdamWCase::bytes() const {
  double bytes = 0;
  for (const Weights& weights : all_) {
    bytes += 2 * (weights.p.bytes() + weights.m.bytes() + weights.v.bytes()) + weights.g.bytes() +
             weights.copy.bytes();
  }
  return bytes;
}
double AdamWCase::error() {
  run();  // from here on the squares are not zero
  std::vector<std::vector<double>> before;
  for (const Weights& weights : all_) {
    for (const Elements* each : {&weights.p, &weights.m, &weights.v}) {
      before.push_back(each->read());
    }
  }
  run();
  double largest = 0;
  std::size_t i = 0;
  for (const Weights& weights : all_) {
    const double error = error_of(weights, before[i], before[i + 1], before[i + 2]);
    largest = largest_of({largest, error});
    if (std::isnan(largest)) return largest;
    i += 3;
  }
  return largest;
}
double AdamWCase::error_of(const Weights& weights, const std::vector<double>& p,
                           const std::vector<double>& m, const std::vector<double>& v) {
  const std::vector<double> g = weights.g.read();
  std::vector<double> new_p, new_m, new_v;
  for (std::size_t i = 0; i < p.size(); ++i) {
    new_m.push_back(0.9 * m[i] + 0.1 * g[i]);
    new_v.push_back(0.999 * v[i] + 0.001 * g[i] * g[i]);
    const double divisor = std::sqrt(new_v[i] / (1 - 0.999 * 0.999)) + 1e-8;
    new_p.push_back(p[i] * (1 - 0.01 * 0.1) - 0.01 * new_m[i] / (1 - 0.81) / divisor);
  }
  return largest_of({weights.p.error(new_p), weights.m.error(new_m), weights.v.error(new_v),
                     weights.copy.error(new_p)});
}

}  // namespace sweepd::gpu
