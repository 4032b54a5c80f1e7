// The rules that give GPU kernels a class, by words of their names. Private to this folder.
#pragma once

#include <optional>
#include <string_view>

#include "runner/model/vocabulary/kernel_class.h"

namespace sweepd {

struct KernelRule {
  KernelClass kind = KernelClass::kOther;
  OtherWork other = OtherWork::kUnknown;  // of kind kOther
};

// nullopt: no rule knows the name. Words of the kernel's own name count, neither its namespaces nor
// its parameters. Of kernels that a library names alike (is_wrapper, elementwise_kernel) the words
// of the functor count; namespaces count where a library only communicates.
std::optional<KernelRule> kernel_rule(std::string_view kernel);

}  // namespace sweepd
