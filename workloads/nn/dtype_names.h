// Names of tensor types in sweep files and tables.
#pragma once

#include "workloads/torch/aten.h"

#include <string>
#include <string_view>

namespace sweepd {

std::string dtype_name(at::ScalarType type);  // fp32, fp16, bf16, fp64; else torch's name
at::ScalarType scalar_type_from(std::string_view name);  // throws std::invalid_argument

}  // namespace sweepd
