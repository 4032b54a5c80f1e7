#include "runner/model/sweep/launcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace sweepd {
namespace {

// By file name, or as the module behind `-m`.
constexpr std::array<std::string_view, 8> kLaunchers{"torchrun",
                                                     "torch.distributed.run",
                                                     "torch.distributed.launch",
                                                     "accelerate",
                                                     "deepspeed",
                                                     "horovodrun",
                                                     "mpirun",
                                                     "mpiexec"};
constexpr std::string_view kThreads = "OMP_NUM_THREADS=";

std::vector<std::string> words_in(const WorkloadDef& def, const Trial& trial,
                                  std::string_view param) {
  if (def.find(param) == nullptr) return {};
  auto words = cut_words(trial.text(def, param));
  return words ? std::move(*words) : std::vector<std::string>{};
}

std::string launcher_in(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    std::string name = word.substr(word.rfind('/') + 1);
    if (std::ranges::find(kLaunchers, name) != kLaunchers.end()) return name;
  }
  return "";
}

}  // namespace

std::string launcher_warning(const WorkloadDef& def, const Trial& trial) {
  std::string launcher;
  for (const char* param : {"interpreter", "argv"}) {
    if (launcher.empty()) launcher = launcher_in(words_in(def, trial, param));
  }
  if (launcher.empty()) return "";
  const auto sets_threads = [](const std::string& word) { return word.starts_with(kThreads); };
  if (std::ranges::any_of(words_in(def, trial, "env"), sets_threads)) return "";
  return fmt::format(
      "each rank that `{}` starts inherits OMP_NUM_THREADS of the lease, all of its cores; write "
      "`env: OMP_NUM_THREADS=1`, or leave the ranks to sweepd: `world_size: N`, and the script "
      "itself in `argv`",
      launcher);
}

}  // namespace sweepd
