#include "runner/trace/operator_work.h"

#include "runner/trace/work_inputs.h"

namespace sweepd::trace {
namespace {

using Work = std::optional<OperatorWork>;

// (b) m x k times (b) k x n, of which the left one is input `left`.
Work product(WorkInputs inputs, std::size_t left, std::size_t rank) {
  const OperatorInput* a = tensor_of(inputs, left, rank);
  const OperatorInput* b = tensor_of(inputs, left + 1, rank);
  if (a == nullptr || b == nullptr || a->type != b->type) return std::nullopt;
  if (a->dims[rank - 1] != b->dims[rank - 2]) return std::nullopt;
  if (rank == 3 && a->dims[0] != b->dims[0]) return std::nullopt;
  const ElementType* type = type_of(*a);
  const double batch = rank == 3 ? size_at(*a, 0) : 1, m = size_at(*a, rank - 2);
  const double k = size_at(*a, rank - 1), n = size_at(*b, rank - 1);
  return OperatorWork{2 * batch * m * n * k, batch * (m * k + k * n + m * n) * type->bytes,
                      type->arithmetic};
}

Work mm(WorkInputs inputs) {
  return product(inputs, 0, 2);
}
Work bmm(WorkInputs inputs) {
  return product(inputs, 0, 3);
}

// The first input is added to the product.
Work added_product(WorkInputs inputs, std::size_t rank) {
  Work work = product(inputs, 1, rank);
  const auto added = bytes_of(inputs, 0);
  if (!work || !added) return std::nullopt;
  work->bytes += *added;
  return work;
}
Work addmm(WorkInputs inputs) {
  return added_product(inputs, 2);
}
Work baddbmm(WorkInputs inputs) {
  return added_product(inputs, 3);
}

// All tensors, which are read, as one result of their broadcast shape and widest type.
struct Operands {
  double read = 0, result = 0;  // bytes
};
std::optional<Operands> operands_of(WorkInputs inputs) {
  std::vector<std::int64_t> shape;
  const ElementType *widest = nullptr, *of_single = nullptr;  // a single element does not widen
  Operands operands;
  for (const OperatorInput& input : inputs) {
    if (!is_tensor(input)) continue;
    const ElementType* type = type_of(input);
    if (type == nullptr) return std::nullopt;
    operands.read += elements(input.dims) * type->bytes;
    const ElementType*& known = input.dims.empty() ? of_single : widest;
    if (known == nullptr || type->bytes > known->bytes) known = type;
    const std::size_t rank = input.dims.size();
    if (rank > shape.size()) shape.insert(shape.begin(), rank - shape.size(), 1);
    for (std::size_t i = 0; i < rank; ++i) {
      if (input.dims[i] != 1) shape[shape.size() - rank + i] = input.dims[i];
    }
  }
  const ElementType* type = widest != nullptr ? widest : of_single;
  if (type == nullptr) return std::nullopt;
  operands.result = elements(shape) * type->bytes;
  return operands;
}

Work elementwise(WorkInputs inputs) {
  const auto operands = operands_of(inputs);
  if (!operands) return std::nullopt;
  return OperatorWork{0, operands->read + operands->result, ""};
}

// The first input is read and written.
Work in_place(WorkInputs inputs) {
  const auto operands = operands_of(inputs);
  const auto result = bytes_of(inputs, 0);
  if (!operands || !result) return std::nullopt;
  return OperatorWork{0, operands->read + *result, ""};
}

// The first input is only written.
Work copy(WorkInputs inputs) {
  const auto to = bytes_of(inputs, 0), from = bytes_of(inputs, 1);
  if (!to || !from) return std::nullopt;
  return OperatorWork{0, *to + *from, ""};
}
Work fill(WorkInputs inputs) {
  const auto to = bytes_of(inputs, 0);
  if (!to) return std::nullopt;
  return OperatorWork{0, *to, ""};
}

struct Formula {
  std::string_view name;
  Work (*work)(WorkInputs);
};
constexpr Formula kFormulas[] = {
    {"mm", mm},
    {"addmm", addmm},
    {"addmm_", addmm},
    {"_addmm_activation", addmm},
    {"bmm", bmm},
    {"baddbmm", baddbmm},
    {"baddbmm_", baddbmm},
    {"copy_", copy},
    {"fill_", fill},
    {"zero_", fill},
    {"add", elementwise},
    {"sub", elementwise},
    {"mul", elementwise},
    {"div", elementwise},
    {"rsub", elementwise},
    {"neg", elementwise},
    {"pow", elementwise},
    {"exp", elementwise},
    {"log", elementwise},
    {"sqrt", elementwise},
    {"rsqrt", elementwise},
    {"reciprocal", elementwise},
    {"sigmoid", elementwise},
    {"sigmoid_backward", elementwise},
    {"tanh", elementwise},
    {"tanh_backward", elementwise},
    {"relu", elementwise},
    {"clamp", elementwise},
    {"clamp_min", elementwise},
    {"threshold_backward", elementwise},
    {"gelu", elementwise},
    {"gelu_backward", elementwise},
    {"silu", elementwise},
    {"silu_backward", elementwise},
    {"where", elementwise},
    {"masked_fill", elementwise},
    {"addcmul", elementwise},
    {"addcdiv", elementwise},
    {"lerp", elementwise},
    {"_softmax", elementwise},
    {"_softmax_backward_data", elementwise},
    {"_log_softmax", elementwise},
    {"_log_softmax_backward_data", elementwise},
    {"native_layer_norm", elementwise},
    {"_fused_rms_norm", elementwise},
    {"add_", in_place},
    {"sub_", in_place},
    {"mul_", in_place},
    {"div_", in_place},
    {"sqrt_", in_place},
    {"relu_", in_place},
    {"clamp_", in_place},
    {"clamp_min_", in_place},
    {"masked_fill_", in_place},
    {"addcmul_", in_place},
    {"addcdiv_", in_place},
    {"lerp_", in_place},
};

std::string_view without_namespace(std::string_view name) {
  constexpr std::string_view kAten = "aten::";
  return name.starts_with(kAten) ? name.substr(kAten.size()) : std::string_view();
}

Work work_by_name(std::string_view name, WorkInputs inputs) {
  if (const Formula* formula = find_by_name(kFormulas, name)) return formula->work(inputs);
  return is_convolution(name) ? convolution_work(name, inputs) : attention_work(name, inputs);
}

}  // namespace

WorkFrom work_from(std::string_view name) {
  name = without_namespace(name);
  if (find_by_name(kFormulas, name) != nullptr) return WorkFrom::kShapes;
  return is_convolution(name) || is_fused_attention(name) ? WorkFrom::kShapesAndValues
                                                          : WorkFrom::kUnknown;
}

std::optional<OperatorWork> operator_work(std::string_view name,
                                          std::span<const OperatorInput> inputs) {
  constexpr double kMost = 1e24;  // the shapes of a damaged trace can be anything
  Work work = work_by_name(without_namespace(name), inputs);
  if (!work || !(work->bytes > 0 && work->bytes <= kMost && work->flops <= kMost)) {
    return std::nullopt;
  }
  work->kernel_class = class_of(name, "");
  return work;
}

}  // namespace sweepd::trace
