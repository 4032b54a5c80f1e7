// The package of `compile: aot_inductor`: its path, the command that makes it, and loading it.
// Includes no torch header.
//
// A package fits one step on one kind of hardware. Folder and name contain everything that is
// compiled in:
// <folder>/torch-2.11.0/cpu-avx512/lm_step.1-d64-ff256-l2-h4-v10000-s64-b4-fp32-...pt2, where
// <folder> is $SWEEPD_AOT_DIR, else $XDG_CACHE_HOME/sweepd/aot, else ~/.cache/sweepd/aot.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "workloads/api/workload.h"
#include "workloads/nn/attention_params.h"
#include "workloads/nn/lm_params.h"

namespace torch::inductor {
class AOTIModelPackageLoader;
}

namespace sweepd {

struct AotTarget {
  std::string device;         // "cpu", "cuda"
  std::string hardware;       // target of its code: "avx512", "sm_90"
  std::string torch_version;  // "2.11.0"
};

struct AotPackage {
  std::filesystem::path path;
  std::string command;  // shell command that makes it. Python is $SWEEPD_PYTHON, else python3.
};
AotPackage aot_package(const LmStepParams& params, const AotTarget& target);
AotPackage aot_package(const AttentionParams& params, const AotTarget& target);

// Returns the compile time from the .json beside the package, or nothing if there is none.
std::optional<double> aot_compile_ms(const std::filesystem::path& package);

AotTarget aot_target(Device& device);  // of this process

// Returns the package's path. Throws Unavailable with the command that makes it if it is missing.
std::filesystem::path require_package(const AotPackage& package);

// A package may contain several functions with different names.
using AotFunction = std::unique_ptr<torch::inductor::AOTIModelPackageLoader>;
AotFunction load_function(const std::filesystem::path& package, const char* name);

// Adds the set-up's sample `compile_time` that the tool recorded, if there is one.
void add_compile_time(Context& context, const std::filesystem::path& package);

}  // namespace sweepd
