// The package of `compile: aot_inductor`: its path, and the command that makes it. Includes no
// torch header.
//
// A package fits one step on one kind of hardware. Folder and name contain everything that is
// compiled in:
// <folder>/torch-2.11.0/cpu-avx512/lm_step.1-d64-ff256-l2-h4-v10000-s64-b4-fp32-...pt2, where
// <folder> is $SWEEPD_AOT_DIR, else $XDG_CACHE_HOME/sweepd/aot, else ~/.cache/sweepd/aot.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "workloads/nn/attention_params.h"
#include "workloads/nn/lm_params.h"

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

}  // namespace sweepd
