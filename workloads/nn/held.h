// Makes the list of a workload's held tensors (Workload::state), and names tensors that
// live within a step.
#pragma once

#include "workloads/torch/aten.h"

#include <string>
#include <utility>
#include <vector>

#include "workloads/api/tensor_name.h"
#include "workloads/api/workload.h"

namespace sweepd {

// Appends `tensor`'s storage unless it has none or is already in the list (a view of another).
inline void add_held(std::vector<HeldTensor>& list, HeldTensor::Kind kind, std::string name,
                     const at::Tensor& tensor) {
  if (!tensor.defined() || tensor.storage().nbytes() == 0) return;
  const void* block = tensor.storage().data();
  for (const HeldTensor& held : list) {
    if (held.block == block) return;
  }
  const auto bytes = static_cast<std::int64_t>(tensor.storage().nbytes());
  list.push_back({kind, std::move(name), block, {bytes}});
}

// Names the storage if memory is recorded; costs one load and a branch otherwise.
inline void name_tensor(const at::Tensor& tensor, std::string_view name) {
  if (detail::tensor_name_observer != nullptr) name_block(tensor.storage().data(), name);
}

}  // namespace sweepd
