// Is a profile complete? Pure, from stored values only, like model/verdict.h. `suspect` when
//   - records were dropped;
//   - a stream was busy for longer than the step took;
//   - two steps, one after the other, did not call the same kernels equally often;
//   - the products of a phase are not as many as the workload says. It says so by a figure
//     `matmuls_<phase>`; a workload without one is not checked. Operators must be exactly as many,
//     GPU kernels at least (a library may split a product).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "runner/model/kernel.h"
#include "runner/model/verdict.h"
#include "runner/model/work.h"

namespace sweepd {

// The numbers that a rank stores as facts, `profile.<field>`.
struct ProfileChecks {
  int rank = 0;
  double dropped_records = 0;
  double step_ms = 0;
  double kernel_ms = 0;
  double differing_kernels = 0;
};

Judgement judge_profile(std::span<const ProfileChecks> checks, std::span<const KernelStats> kernels,
                        std::span<const OperatorStats> operators, const WorkPerStep& work);

}  // namespace sweepd
