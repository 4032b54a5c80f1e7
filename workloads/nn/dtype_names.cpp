#include "workloads/nn/dtype_names.h"

#include <array>
#include <stdexcept>
#include <utility>

namespace sweepd {
namespace {

constexpr std::array<std::pair<at::ScalarType, std::string_view>, 4> kDtypeNames{
    {{at::kFloat, "fp32"}, {at::kHalf, "fp16"}, {at::kBFloat16, "bf16"}, {at::kDouble, "fp64"}}};

}  // namespace

std::string dtype_name(at::ScalarType type) {
  for (const auto& [candidate, name] : kDtypeNames) {
    if (candidate == type) return std::string(name);
  }
  return c10::toString(type);
}

at::ScalarType scalar_type_from(std::string_view name) {
  for (const auto& [type, candidate] : kDtypeNames) {
    if (candidate == name) return type;
  }
  throw std::invalid_argument("type: `" + std::string(name) +
                              "` is unknown; expected fp32, fp16, bf16 or fp64");
}

}  // namespace sweepd
