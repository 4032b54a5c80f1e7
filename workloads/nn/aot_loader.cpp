#include "workloads/nn/aot_loader.h"

#include <ATen/Version.h>
#include <torch/csrc/inductor/aoti_package/model_package_loader.h>
#include <torch/headeronly/version.h>

#include <algorithm>
#include <cctype>
#include <string>

#include "workloads/api/failure.h"

namespace sweepd {

AotTarget aot_target(Device& device) {
  // In torch's Python spelling: avx512, sm_90.
  std::string hardware =
      device.kind() == "cuda" ? "sm_" + device.info().compute_capability : at::get_cpu_capability();
  std::erase(hardware, '.');
  std::ranges::transform(hardware, hardware.begin(),
                         [](unsigned char c) { return std::tolower(c); });
  std::ranges::replace(hardware, ' ', '_');
  return {std::string(device.kind()), hardware, TORCH_VERSION};
}

std::filesystem::path require_package(const AotPackage& package) {
  if (std::filesystem::exists(package.path)) return package.path;
  throw Unavailable("no package of this compiled step; make it with `" + package.command +
                    "` and retry");
}

AotFunction load_function(const std::filesystem::path& package, const char* name) {
  // "Single threaded" allows one call at a time, so no event is recorded between calls.
  return std::make_unique<torch::inductor::AOTIModelPackageLoader>(package.string(), name,
                                                                   /*run_single_threaded=*/true);
}

void add_compile_time(Context& context, const std::filesystem::path& package) {
  const auto compile_ms = aot_compile_ms(package);
  if (compile_ms && context.setup != nullptr) {
    context.setup->add("setup", "compile_time", *compile_ms);
  }
}

}  // namespace sweepd
