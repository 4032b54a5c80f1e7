// What a forward keeps for its backward, by formula. Includes no torch header.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "workloads/nn/lm_params.h"

namespace sweepd {

// Bytes live at the end of `forward` but not at its start: the tensors that autograd saved, and the
// loss. Exact for torch's CPU kernels; docs/MEASURING.md derives it, and says where a GPU differs.
// Empty in mode forward, which saves nothing, for torch's attention kernels, whose backend decides
// what to keep, and for compiled steps.
struct SavedForBackward {
  double bytes = 0;
  std::string formula;
  std::vector<Figure> parts;  // by what keeps them; they add up to `bytes`
};
std::optional<SavedForBackward> saved_for_backward(const LmStepParams& params,
                                                   const ModelShape& shape);

}  // namespace sweepd
