#include "runner/exec/slurm/slurm_environment.h"

#include <algorithm>
#include <array>

namespace sweepd {
namespace {

constexpr std::array<std::string_view, 10> kOptions{"SLURM_",    "SLURMD_", "SBATCH_", "SRUN_",
                                                    "SALLOC_",   "SQUEUE_", "SINFO_",  "SCANCEL_",
                                                    "SCONTROL_", "SACCT_"};
constexpr std::array<std::string_view, 4> kClusters{"SLURM_CONF", "SLURM_CONF_SERVER",
                                                    "SLURM_CLUSTERS", "SLURM_JWT"};

bool is_option(std::string_view name) {
  const auto begins = [name](std::string_view prefix) { return name.starts_with(prefix); };
  return std::ranges::any_of(kOptions, begins) &&
         std::ranges::find(kClusters, name) == kClusters.end();
}

}  // namespace

std::vector<std::string> slurm_environment(const char* const* inherited, std::string_view program) {
  std::vector<std::string> entries;
  for (const char* const* entry = inherited; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (!is_option(text.substr(0, text.find('=')))) entries.emplace_back(text);
  }
  if (program == "squeue") entries.emplace_back("SLURM_TIME_FORMAT=%s");
  return entries;
}

}  // namespace sweepd
