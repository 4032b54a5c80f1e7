// What the formulas of operator_work.h share. Private to this folder.
#pragma once

#include <algorithm>
#include <iterator>

#include "runner/trace/operator_work.h"

namespace sweepd::trace {

using WorkInputs = std::span<const OperatorInput>;

struct ElementType {
  std::string_view name;
  double bytes;
  std::string_view arithmetic;
};
inline constexpr ElementType kElementTypes[] = {
    {"float", 4, "fp32"},
    {"c10::BFloat16", 2, "bf16"},
    {"c10::Half", 2, "fp16"},
    {"double", 8, "fp64"},
    {"long int", 8, ""},
    {"long", 8, ""},
    {"int", 4, ""},
    {"short int", 2, ""},
    {"short", 2, ""},
    {"bool", 1, ""},
    {"signed char", 1, ""},
    {"unsigned char", 1, ""},
    {"c10::Float8_e4m3fn", 1, "fp8"},
    {"c10::Float8_e5m2", 1, "fp8"},
};

inline bool is_tensor(const OperatorInput& input) {
  return !input.type.empty() && input.type != "Scalar" && input.type != "ScalarList";
}

inline const ElementType* type_of(const OperatorInput& input) {
  const auto found =
      std::ranges::find(kElementTypes, std::string_view(input.type), &ElementType::name);
  return found == std::end(kElementTypes) ? nullptr : &*found;
}

inline double elements(std::span<const std::int64_t> dims) {
  double all = 1;
  for (const std::int64_t dim : dims) all *= static_cast<double>(dim);
  return all;
}

inline std::optional<double> bytes_of(WorkInputs inputs, std::size_t index) {
  const ElementType* type = index < inputs.size() ? type_of(inputs[index]) : nullptr;
  if (type == nullptr) return std::nullopt;
  return elements(inputs[index].dims) * type->bytes;
}

// A tensor of a known type with so many dimensions, or nullptr.
inline const OperatorInput* tensor_of(WorkInputs inputs, std::size_t index, std::size_t rank) {
  if (index >= inputs.size() || inputs[index].dims.size() != rank) return nullptr;
  return type_of(inputs[index]) == nullptr ? nullptr : &inputs[index];
}

inline double size_at(const OperatorInput& input, std::size_t dim) {
  return static_cast<double>(input.dims[dim]);
}

// The table's entry of this name, or nullptr.
template <class Entry, std::size_t n>
const Entry* find_by_name(const Entry (&entries)[n], std::string_view name) {
  const auto found = std::ranges::find(entries, name, &Entry::name);
  return found == std::end(entries) ? nullptr : &*found;
}

// Names without "aten::".
bool is_convolution(std::string_view name);
std::optional<OperatorWork> convolution_work(std::string_view name, WorkInputs inputs);
bool is_fused_attention(std::string_view name);
std::optional<OperatorWork> attention_work(std::string_view name, WorkInputs inputs);

}  // namespace sweepd::trace
