// Finds, loads and runs packages of TorchInductor.
#pragma once

#include <filesystem>
#include <memory>

#include "workloads/api/workload.h"
#include "workloads/nn/aot_package.h"

namespace torch::inductor {
class AOTIModelPackageLoader;
}

namespace sweepd {

AotTarget aot_target(Device& device);  // of this process

// Returns the package's path. Throws Unavailable with the command that makes it if it is missing.
std::filesystem::path require_package(const AotPackage& package);

// A package may contain several functions with different names.
using AotFunction = std::unique_ptr<torch::inductor::AOTIModelPackageLoader>;
AotFunction load_function(const std::filesystem::path& package, const char* name);

// Adds the set-up's sample `compile_time` that the tool recorded, if there is one.
void add_compile_time(Context& context, const std::filesystem::path& package);

}  // namespace sweepd
