// The findings of `doctor` on GPUs and CUDA. Pure, as findings.h.
#pragma once

#include <vector>

#include "runner/client/doctor/facts.h"
#include "runner/client/doctor/findings.h"

namespace sweepd {

// In the order in which they are shown.
std::vector<Finding> examine_gpus(const CudaFacts& cuda);

}  // namespace sweepd
