// Which kernels do the work of operators, and its sum over the calls of a row. Pure.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "runner/model/vocabulary/kernel.h"
#include "runner/model/vocabulary/kernel_class.h"
#include "runner/trace/analysis.h"
#include "runner/trace/span_index.h"

namespace sweepd::trace {

struct KernelCandidate {
  KernelClass kernel_class = KernelClass::kOther;
  std::int64_t ns = 0;
};
// Whether, of two kernels that an operator launched, the first does its work: it is of the class
// that does such work and the other is not, or else it is longer.
bool does_rather(KernelClass work, const KernelCandidate& kernel, const KernelCandidate& other);

inline constexpr std::int32_t kUnknownWork = -1;
// The work of its operator is that of another kernel of the same name, and the time of both is its.
inline constexpr std::int32_t kSharedWork = -2;

// Of each of `timeline.work`, the index in `timeline.operator_work` of the work that it does, or
// one of these. The innermost operator around a launch gives its work to one of the kernels that it
// launched. `operators` are those of the timeline.
std::vector<std::int32_t> work_of_kernels(const TraceIndex& index, const SpanIndex& operators);

class WorkOfCalls {
 public:
  void add(const OperatorWork* work, double ns);  // nullptr: unknown
  // Calls of unknown work count as many FLOPs and bytes a second as the others; the row stays as it
  // is if they take more than half of its time. A product of fp32 whose kernel has
  // `tf32` in its name is of tf32.
  void store(KernelStats& row) const;

 private:
  double ns_ = 0, known_ns_ = 0;
  double flops_ = 0, bytes_ = 0;
  std::string_view arithmetic_;
};

}  // namespace sweepd::trace
