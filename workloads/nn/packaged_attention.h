// `compile: aot_inductor` of the workload `attention`: naive attention as TorchInductor compiled
// it, with forward and backward separate, as torch.compile runs them.
#pragma once

#include <ATen/ATen.h>

#include "workloads/api/workload.h"
#include "workloads/nn/aot_loader.h"

namespace sweepd {

class PackagedAttention {
 public:
  // Adds samples `load_time` and `compile_time`. Throws Unavailable if the package is missing.
  PackagedAttention(const AttentionParams& params, Context& context);
  ~PackagedAttention();

  // q, k, v have the package's shape and type and are contiguous. Autograd differentiates the
  // result if it was made with gradients on. Backwards use this object, which must outlive them.
  at::Tensor operator()(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) const;

 private:
  class Function;
  AotFunction forward_, backward_;  // backward_ is null in mode forward
};

}  // namespace sweepd
