// Judges whether a profile is complete. Pure, from stored values only, like model/verdict.h. It is
// `suspect` if
//   - records were dropped;
//   - a stream was busy for longer than the step took;
//   - two consecutive steps did not call the same kernels equally often;
//   - a phase ran another number of products than the workload states in its figure
//     `matmuls_<phase>`; a workload without that figure is not checked. The number of operators
//     must be equal, that of GPU kernels equal or larger (a library may split a product).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "runner/model/kernel.h"
#include "runner/model/verdict.h"
#include "runner/model/work.h"

namespace sweepd {

// The numbers that a rank stores as facts named `profile.<field>`.
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
