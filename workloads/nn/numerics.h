// Translates a Precision to torch: tensor types, the TF32 switches, autocast.
#pragma once

#include "workloads/torch/aten.h"

#include "workloads/nn/precision.h"

namespace sweepd {

at::ScalarType operand_type(Precision precision);  // of tensors that a GEMM reads
at::ScalarType weight_type(Precision precision);   // of parameters

// Sets the process-wide TF32 switches: on for tf32 only, so that fp32 is fp32 in any environment.
// Throws Unavailable if the device does not support `precision` (tf32 on a CPU).
void prepare_precision(Precision precision, at::Device device);

// Autocast for the lifetime of the object, on this thread, or nothing if `precision` does not use
// autocast. Wrap the forward only. The cache of cast weights is off: a step uses each weight once,
// so the cache would only use memory.
class AutocastGuard {
 public:
  AutocastGuard(Precision precision, at::Device device);
  ~AutocastGuard();
  AutocastGuard(const AutocastGuard&) = delete;
  AutocastGuard& operator=(const AutocastGuard&) = delete;

 private:
  at::DeviceType device_;
  bool active_;
  bool was_enabled_ = false;
  bool was_caching_ = false;
  at::ScalarType old_type_ = at::kFloat;
};

}  // namespace sweepd
