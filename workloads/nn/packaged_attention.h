// `compile: aot_inductor` of the workload `attention`: naive attention as TorchInductor compiled
// it, forward and backward apart, as torch.compile runs them.
#pragma once

#include <ATen/ATen.h>

#include "workloads/api/workload.h"
#include "workloads/nn/aot_loader.h"

namespace sweepd {

class PackagedAttention {
 public:
  // Samples `load_time` and `compile_time`. Throws Unavailable where the package is missing.
  PackagedAttention(const AttentionParams& params, Context& context);
  ~PackagedAttention();

  // q, k, v of the package's shape and type, contiguous; autograd differentiates the result once it
  // was made with gradients on. Backwards run on this object: it must outlive them.
  at::Tensor operator()(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) const;

 private:
  class Function;
  AotFunction forward_, backward_;  // the latter null in mode forward
};

}  // namespace sweepd
