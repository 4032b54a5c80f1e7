#include "workloads/nn/shape.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "runner/base/text.h"

namespace sweepd {
namespace {

constexpr std::array<std::pair<std::string_view, ModelShape>, 6> kModels{{
    {"tiny", {64, 256, 2, 4}},
    {"small", {768, 3072, 12, 12}},
    {"medium", {1024, 4096, 24, 16}},
    {"large", {1280, 5120, 36, 20}},
    {"xl", {1600, 6400, 48, 25}},
    {"2.7B", {2560, 10240, 32, 32}},
}};

void at_least_one(std::string_view field, std::int64_t value) {
  if (value >= 1) return;
  throw std::invalid_argument(std::string(field) + ": " + std::to_string(value) +
                              " is too small; expected at least 1");
}

}  // namespace

std::int64_t ModelShape::parameters() const {
  const std::int64_t block = 4 * d_model * d_model + 3 * d_model * d_ff + 2 * d_model;
  return layers * block + d_model + 2 * vocab * d_model;
}

const std::vector<std::string>& model_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto& [name, shape] : kModels) all.emplace_back(name);
    return all;
  }();
  return names;
}

ModelShape model_shape(std::string_view name) {
  for (const auto& [candidate, shape] : kModels) {
    if (candidate == name) return shape;
  }
  throw std::invalid_argument("model: `" + std::string(name) + "` is unknown; expected one of " +
                              join(model_names(), ", "));
}

void validate(const ModelShape& shape) {
  at_least_one("d_model", shape.d_model);
  at_least_one("d_ff", shape.d_ff);
  at_least_one("layers", shape.layers);
  at_least_one("heads", shape.heads);
  at_least_one("vocab", shape.vocab);
  if (shape.d_model % shape.heads != 0) {
    throw std::invalid_argument("heads: " + std::to_string(shape.heads) +
                                " does not divide d_model " + std::to_string(shape.d_model));
  }
  if (shape.head_dim() % 2 != 0) {
    throw std::invalid_argument("heads: " + std::to_string(shape.heads) + " with d_model " +
                                std::to_string(shape.d_model) + " gives head dimension " +
                                std::to_string(shape.head_dim()) +
                                "; rotary embeddings need an even one");
  }
}

ForwardFlops forward_flops(const ModelShape& shape, std::int64_t batch, std::int64_t context) {
  const auto d = static_cast<double>(shape.d_model), ff = static_cast<double>(shape.d_ff);
  const auto layers = static_cast<double>(shape.layers), vocab = static_cast<double>(shape.vocab);
  const auto length = static_cast<double>(context);
  const double tokens = static_cast<double>(batch) * length;
  ForwardFlops flops;
  flops.linear = 2 * tokens * (layers * (4 * d * d + 3 * d * ff) + vocab * d);
  flops.attention = 4 * tokens * length * d * layers;
  return flops;
}

}  // namespace sweepd
