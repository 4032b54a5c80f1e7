#include "workloads/parallelism/model.h"

namespace sweepd::parallelism {

std::int64_t Model::parameters() const {
  const std::int64_t ffn = matrices * d_model * d_ff;
  if (parts == Parts::kFfn) return ffn * layers;
  return layers * (4 * d_model * d_model + ffn + 2 * d_model) + d_model + 2 * vocab * d_model;
}

double Model::flops_per_token() const {
  const auto d = static_cast<double>(d_model), f = static_cast<double>(d_ff);
  const auto l = static_cast<double>(layers);
  const double ffn = static_cast<double>(matrices) * d * f;
  if (parts == Parts::kFfn) return 2 * ffn * l;
  return 2 * (l * (4 * d * d + ffn) + static_cast<double>(vocab) * d) +
         4 * static_cast<double>(context) * d * l;
}

std::int64_t Model::saved_per_token_and_block() const {
  const std::int64_t ffn = d_model + (matrices == 2 ? d_ff : 3 * d_ff);
  return parts == Parts::kFfn ? ffn : ffn + 7 * d_model;
}

}  // namespace sweepd::parallelism
