// Reports each parameter as soon as a backward has its whole gradient.
#pragma once

#include "workloads/torch/aten.h"

#include <cstddef>
#include <functional>
#include <vector>

namespace sweepd {

class ReadyHooks {
 public:
  // `ready` is called with the parameter's index, once per backward for any number of uses, within
  // the backward and on its thread, without recording gradients. At most one ReadyHooks per
  // parameter.
  ReadyHooks(std::vector<at::Tensor> parameters, const std::function<void(std::size_t)>& ready);
  ReadyHooks(const ReadyHooks&) = delete;
  ReadyHooks& operator=(const ReadyHooks&) = delete;
  ~ReadyHooks();

 private:
  std::vector<at::Tensor> parameters_;
};

}  // namespace sweepd
