// The code on which a workload's results depend beside its parameters and the machine.
#pragma once

#include <string_view>

namespace sweepd {

// Returns 12 hex digits: a hash of the workload's sources, the compiler and its flags, and the
// versions of LibTorch and CUDA (cmake/workload_code.cmake says which files count). Empty if this
// build has no file workloads/<name>.cpp.
std::string_view code_of_workload(std::string_view name);

}  // namespace sweepd
