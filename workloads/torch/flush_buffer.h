// The memory that a device of torch overwrites to flush its caches (Device::flush_cache).
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include "runner/base/units.h"

namespace sweepd {

class FlushBuffer {
 public:
  // Enqueues the writing of `size` zeros. A buffer of another size is allocated again.
  Bytes overwrite(at::Device device, Bytes size) {
    if (!buffer_.defined() || buffer_.numel() != size.value) {
      buffer_ = at::Tensor();  // freed before the next one is allocated
      buffer_ = at::empty({size.value}, at::TensorOptions().device(device).dtype(at::kByte));
    }
    buffer_.zero_();
    return size;
  }

 private:
  at::Tensor buffer_;
};

}  // namespace sweepd
