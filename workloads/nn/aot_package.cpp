#include "workloads/nn/aot_package.h"

#include <ATen/Version.h>
#include <fmt/format.h>
#include <torch/csrc/inductor/aoti_package/model_package_loader.h>
#include <torch/headeronly/version.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "runner/base/started_as.h"
#include "runner/base/text.h"
#include "workloads/api/failure.h"

namespace sweepd {
namespace {

namespace fs = std::filesystem;

// Increase these when tools/aot_compile traces something else, so that old packages are not found.
constexpr int kLmStepVersion = 1;
constexpr int kAttentionVersion = 1;

fs::path packages_folder() {
  if (const std::string set = variable_or("SWEEPD_AOT_DIR", ""); !set.empty()) return set;
  if (const std::string cache = variable_or("XDG_CACHE_HOME", ""); !cache.empty()) {
    return fs::path(cache) / "sweepd" / "aot";
  }
  return fs::path(variable_or("HOME", ".")) / ".cache" / "sweepd" / "aot";
}

// Of a bundle, or of the source tree of this build.
fs::path tool() {
  const fs::path found = installed_file({"bin/aot_compile", "tools/aot_compile"});
  return found.empty() ? "aot_compile" : found;
}

// These are compiled in; no other mode has them.
std::string optimizer_name(const LmStepParams& params) {
  if (step_mode_from(params.mode) != StepMode::kTrainStep) return "";
  return fmt::format("-lr{:g}-beta{:g},{:g}-eps{:g}-decay{:g}", params.lr, params.beta1,
                     params.beta2, params.eps, params.weight_decay);
}

std::string optimizer_options(const LmStepParams& params) {
  if (step_mode_from(params.mode) != StepMode::kTrainStep) return "";
  const LmStepParams usual;
  std::string options;
  const auto add = [&](const char* name, double value, double otherwise) {
    if (value != otherwise) options += fmt::format(" --{} {:g}", name, value);
  };
  add("lr", params.lr, usual.lr);
  add("beta1", params.beta1, usual.beta1);
  add("beta2", params.beta2, usual.beta2);
  add("eps", params.eps, usual.eps);
  add("weight-decay", params.weight_decay, usual.weight_decay);
  return options;
}

// `name` has no extension; `options` are the equivalent options of the tool.
AotPackage package_of(const std::string& name, const std::string& options,
                      const AotTarget& target) {
  AotPackage package;
  package.path = packages_folder() / fmt::format("torch-{}", target.torch_version) /
                 fmt::format("{}-{}", target.device, target.hardware) / (name + ".pt2");
  package.command = fmt::format(
      "{} {} {} --device {} --hardware {} --torch {} --out {}",
      shell_word(variable_or("SWEEPD_PYTHON", "python3")), shell_word(tool().string()), options,
      target.device, target.hardware, target.torch_version, shell_word(package.path.string()));
  return package;
}

}  // namespace

AotPackage aot_package(const LmStepParams& params, const AotTarget& target) {
  const ModelShape shape = shape_of(params);
  const std::string name = fmt::format(
      "lm_step.{}-d{}-ff{}-l{}-h{}-v{}-s{}-b{}-{}-{}-{}{}", kLmStepVersion, shape.d_model,
      shape.d_ff, shape.layers, shape.heads, shape.vocab, params.context, params.batch,
      params.precision, params.mode, params.attention, optimizer_name(params));
  const std::string options = fmt::format(
      "--d-model {} --d-ff {} --layers {} --heads {} --vocab {} --context {} --batch {} "
      "--precision {} --mode {} --attention {}{}",
      shape.d_model, shape.d_ff, shape.layers, shape.heads, shape.vocab, params.context,
      params.batch, params.precision, params.mode, params.attention, optimizer_options(params));
  return package_of(name, options, target);
}

AotPackage aot_package(const AttentionParams& params, const AotTarget& target) {
  // A backward is compiled together with its forward, which keeps its inputs.
  const bool forward = attention_mode_from(params.mode) == AttentionMode::kForward;
  const char* const mode = forward ? "forward" : "both";
  const std::string name = fmt::format("attention.{}-b{}-h{}-s{}-d{}-{}-{}-{}", kAttentionVersion,
                                       params.batch, params.heads, params.sequence, params.d_head,
                                       params.causal ? "causal" : "full", params.dtype, mode);
  const std::string options = fmt::format(
      "--workload attention --batch {} --heads {} --sequence {} --d-head {}{} --dtype {} "
      "--mode {}",
      params.batch, params.heads, params.sequence, params.d_head, params.causal ? " --causal" : "",
      params.dtype, mode);
  return package_of(name, options, target);
}

std::optional<double> aot_compile_ms(const fs::path& package) {
  std::ifstream file(fs::path(package).replace_extension(".json"));
  const auto made = nlohmann::json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (!made.is_object()) return std::nullopt;
  const auto found = made.find("compile_ms");
  if (found == made.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

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
