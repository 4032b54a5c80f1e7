// What an operator computes and moves, from the shapes and types of its inputs. Pure.
//
// A multiply-add is two FLOPs. The formulas of products, convolution and attention are those of
// torch.utils.flop_counter:
//   mm, addmm, bmm, baddbmm   2 b m n k; the bias is not counted
//   convolution               2 (positions of the output) (elements of the weight), forward only
//   attention                 2 b h s_q s_k (d + d_v)
//     its backward            2 b h s_q s_k (3 d + 2 d_v): the scores once more, and four products
// A causal attention has half of them where the trace says that it is causal; torch counts all.
// Elementwise operators, softmax and norms have bytes alone.
//
// Bytes are each input read once and each result written once, as if no cache held them before: an
// expanded input counts in full, the statistics of norms and attention do not.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runner/model/vocabulary/kernel_class.h"

namespace sweepd::trace {

// As torch.profiler records it with `record_shapes`.
struct OperatorInput {
  std::vector<std::int64_t> dims;  // also empty if it is no tensor; none is negative
  std::string type;                // "c10::BFloat16"; "", "Scalar", "ScalarList": no tensor
  std::string value;               // of such: "True", "[1, 1]"; "": unknown
};

struct OperatorWork {
  double flops = 0;                                // 0: they are not counted
  double bytes = 0;                                // never 0
  std::string_view arithmetic;                     // of the FLOPs: "fp32", "bf16" ...; "" unknown
  KernelClass kernel_class = KernelClass::kOther;  // of the kernels that do it
};

// What the work of an operator follows from.
enum class WorkFrom : std::uint8_t { kUnknown, kShapes, kShapesAndValues };
WorkFrom work_from(std::string_view name);

// Of one call. Nothing if the operator is unknown, or its inputs are not as its formula expects.
// Operators that only call others (aten::linear, aten::matmul) are unknown.
std::optional<OperatorWork> operator_work(std::string_view name,
                                          std::span<const OperatorInput> inputs);

}  // namespace sweepd::trace
