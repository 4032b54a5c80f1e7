#include <charconv>
#include <cmath>

#include "runner/trace/work_inputs.h"

namespace sweepd::trace {
namespace {

// Where a convolution has its padding, before its stride and dilation. Input and weight are first.
struct ConvolutionCall {
  std::string_view name;
  std::size_t padding;
};
constexpr ConvolutionCall kConvolutions[] = {
    {"cudnn_convolution", 2}, {"miopen_convolution", 3}, {"mkldnn_convolution", 3}};

// "[1, 1]", of so many numbers.
std::optional<std::vector<double>> numbers_of(WorkInputs inputs, std::size_t index,
                                              std::size_t count) {
  if (index >= inputs.size()) return std::nullopt;
  const std::string& text = inputs[index].value;
  std::vector<double> numbers;
  const char* next = text.data();
  const char* const end = next + text.size();
  while (next != end) {
    std::int64_t number = 0;
    const auto [rest, error] = std::from_chars(next, end, number);
    if (error == std::errc()) numbers.push_back(static_cast<double>(number));
    next = error == std::errc() ? rest : next + 1;
  }
  if (numbers.size() != count) return std::nullopt;
  return numbers;
}

std::optional<OperatorWork> work_of_convolution(WorkInputs inputs, const ConvolutionCall& call) {
  const std::size_t rank = inputs.empty() ? 0 : inputs[0].dims.size();
  if (rank < 3) return std::nullopt;
  const OperatorInput* input = tensor_of(inputs, 0, rank);
  const OperatorInput* weight = tensor_of(inputs, 1, rank);
  if (input == nullptr || weight == nullptr || input->type != weight->type) return std::nullopt;
  const auto padding = numbers_of(inputs, call.padding, rank - 2);
  const auto stride = numbers_of(inputs, call.padding + 1, rank - 2);
  const auto dilation = numbers_of(inputs, call.padding + 2, rank - 2);
  if (!padding || !stride || !dilation) return std::nullopt;
  double positions = size_at(*input, 0);  // of all images
  for (std::size_t i = 0; i < rank - 2; ++i) {
    const double room = size_at(*input, i + 2) + 2 * (*padding)[i] -
                        (*dilation)[i] * (size_at(*weight, i + 2) - 1) - 1;
    if (room < 0 || (*stride)[i] < 1) return std::nullopt;
    positions *= std::floor(room / (*stride)[i]) + 1;
  }
  const ElementType* type = type_of(*input);
  const double of_weight = elements(weight->dims);
  const double moved = elements(input->dims) + of_weight + positions * size_at(*weight, 0);
  return OperatorWork{2 * positions * of_weight, moved * type->bytes, type->arithmetic};
}

}  // namespace

bool is_convolution(std::string_view name) {
  return find_by_name(kConvolutions, name) != nullptr;
}

std::optional<OperatorWork> convolution_work(std::string_view name, WorkInputs inputs) {
  const ConvolutionCall* call = find_by_name(kConvolutions, name);
  if (call == nullptr) return std::nullopt;
  return work_of_convolution(inputs, *call);
}

}  // namespace sweepd::trace
