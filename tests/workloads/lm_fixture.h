// Runs a small trial of lm_step step by step, beside the reference for the same trial.
#pragma once

#include "workloads/torch/aten.h"

#include <string>
#include <vector>

#include "tests/workloads/reference_lm.h"
#include "workloads/nn/training.h"

namespace sweepd {

class RecordedPhases final : public Phases {
 public:
  void enter(std::string_view phase) override { seen.emplace_back(phase); }
  std::vector<std::string> seen;
};

// 2 layers, width 16, 2 heads of 8, vocab 23, batch 2, context 12: 4,288 parameters.
LmStepParams small_case();

// Returns the losses of that many steps. In mode train_step, parameters change in between.
std::vector<double> losses(const LmStepParams& params, int steps, std::int64_t seed = 1,
                           at::Device device = at::kCPU);

// Returns the reference's losses, from the same first weights and tokens.
std::vector<double> reference_losses(const LmStepParams& params, int steps, std::int64_t seed = 1,
                                     at::Device device = at::kCPU);

reference::Shape reference_shape(const LmStepParams& params);
reference::Tensors reference_weights(const LanguageModel& model);
reference::Batch reference_batch(const Training& training);
std::vector<double> to_vector(const at::Tensor& tensor);

}  // namespace sweepd
