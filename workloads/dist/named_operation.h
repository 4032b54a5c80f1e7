// Gives a collective its own name in the profile pass: "collective::all_reduce", which is
// classified as communication for every backend.
#pragma once

#include <ATen/record_function.h>

#include <functional>
#include <utility>

#include "workloads/torch/collectives.h"

namespace sweepd {

// `name` has static storage. Costs one branch without a recording.
inline std::function<void(Collectives&)> named_operation(
    const char* name, std::function<void(Collectives&)> operation) {
  return [name, operation = std::move(operation)](Collectives& collectives) {
    RECORD_FUNCTION(name, c10::ArrayRef<const c10::IValue>{});
    operation(collectives);
  };
}

}  // namespace sweepd
