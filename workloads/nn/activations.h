// The memory that a forward keeps for its backward, by formula. Includes no torch header.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/nn/lm_params.h"

namespace sweepd {

// Bytes live at the end of `forward` but not at its start: the tensors that autograd saved, and the
// loss, as requested. `device` is "cpu" or "cuda", whose kernels keep different tensors;
// exact for both. The .cpp derives it.
// Empty in mode forward, which saves nothing, for torch's attention kernels, whose backend decides
// which tensors to keep, and for compiled steps.
struct SavedForBackward {
  double bytes = 0;
  std::string formula;
  std::vector<Figure> parts;  // by the operation that keeps them; they add up to `bytes`
};
std::optional<SavedForBackward> saved_for_backward(const LmStepParams& params,
                                                   const ModelShape& shape,
                                                   std::string_view device);

}  // namespace sweepd
