// Finding, loading and running packages of TorchInductor.
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

// The package's path. Throws Unavailable with the command that makes it where it is missing.
std::filesystem::path require_package(const AotPackage& package);

// A package may hold several functions, told apart by name.
using AotFunction = std::unique_ptr<torch::inductor::AOTIModelPackageLoader>;
AotFunction load_function(const std::filesystem::path& package, const char* name);

// The set-up's sample `compile_time`, as the tool noted it; nothing where it did not.
void add_compile_time(Context& context, const std::filesystem::path& package);

}  // namespace sweepd
