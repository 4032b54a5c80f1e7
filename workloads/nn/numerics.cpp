#include "workloads/nn/numerics.h"

#include <ATen/autocast_mode.h>

#include "workloads/api/failure.h"

namespace sweepd {

at::ScalarType operand_type(Precision precision) {
  switch (precision) {
    case Precision::kFp32:
    case Precision::kTf32:
      return at::kFloat;
    case Precision::kBf16:
    case Precision::kBf16Pure:
      return at::kBFloat16;
    case Precision::kFp16:
      return at::kHalf;
  }
  return at::kFloat;
}

at::ScalarType weight_type(Precision precision) {
  return precision == Precision::kBf16Pure ? at::kBFloat16 : at::kFloat;
}

void prepare_precision(Precision precision, at::Device device) {
  const bool tf32 = precision == Precision::kTf32;
  if (tf32 && !device.is_cuda()) {
    throw Unavailable(
        "precision tf32 needs a CUDA device of compute capability 8.0 or more; this "
        "trial runs on the CPU");
  }
  at::globalContext().setAllowTF32CuBLAS(tf32);
  at::globalContext().setAllowTF32CuDNN(tf32);
}

AutocastGuard::AutocastGuard(Precision precision, at::Device device)
    : device_(device.type()), active_(is_autocast(precision)) {
  if (!active_) return;
  was_enabled_ = at::autocast::is_autocast_enabled(device_);
  was_caching_ = at::autocast::is_autocast_cache_enabled();
  old_type_ = at::autocast::get_autocast_dtype(device_);
  at::autocast::set_autocast_enabled(device_, true);
  // Always set, because the default is bf16 on a CPU and fp16 on CUDA.
  at::autocast::set_autocast_dtype(device_, operand_type(precision));
  at::autocast::set_autocast_cache_enabled(false);
  at::autocast::increment_nesting();
}

AutocastGuard::~AutocastGuard() {
  if (!active_) return;
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  at::autocast::set_autocast_cache_enabled(was_caching_);
  at::autocast::set_autocast_dtype(device_, old_type_);
  at::autocast::set_autocast_enabled(device_, was_enabled_);
}

}  // namespace sweepd
