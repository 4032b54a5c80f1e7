#include "workloads/command/variables.h"

#include <string>
#include <string_view>
#include <type_traits>

#include "runner/base/started_as.h"

namespace sweepd::command {
namespace {

class Collector {
 public:
  explicit Collector(std::vector<Variable>& variables) : variables_(variables) {}

  template <class T, class... Limits>
  void operator()(std::string_view name, T& value, std::string_view, const Limits&...) {
    std::string text;
    if constexpr (std::is_same_v<T, bool>) {
      text = value ? "true" : "false";
    } else if constexpr (std::is_same_v<T, std::string>) {
      text = value;
    } else if constexpr (std::is_same_v<T, Bytes>) {
      text = std::to_string(value.value);
    } else {
      text = std::to_string(value);
    }
    variables_.push_back({std::string(name), std::move(text), true});
  }

 private:
  std::vector<Variable>& variables_;
};

// An argv that begins with it is looked for in PATH, of which `venv` has the first folder.
std::string python_of(const Params& params) {
  if (!params.python.empty()) return params.python;
  return params.venv.empty() ? variable_or("SWEEPD_PYTHON", "python3") : "python";
}

}  // namespace

std::vector<Variable> variables_of(Params params, const RunParams& run, const Place& place) {
  std::vector<Variable> variables;
  // First, because they hide those of the same names.
  for (const Declared& own : params.declared) variables.push_back({own.name, own.value, true});
  Collector collect(variables);
  params.visit_free(collect);
  const auto add = [&](const char* name, std::string value) {
    variables.push_back({name, std::move(value), true});
  };
  add("device", place.device);
  add("world_size", std::to_string(place.world_size));
  add("rank", std::to_string(place.rank));
  add("warmup", std::to_string(run.warmup));
  add("steps", std::to_string(run.steps));
  add("seed", std::to_string(run.seed));
  add("threads", std::to_string(place.threads));
  add("memory_limit", std::to_string(run.memory_limit.value));
  add("pass", std::string(name_of(place.pass)));
  variables.push_back({"folder", place.folder.string(), !place.folder.empty()});
  variables.push_back({"report", report_file(place.folder, place.rank, place.world_size).string(),
                       !place.folder.empty()});
  add("python", python_of(params));
  const std::filesystem::path scripts = scripts_folder();
  variables.push_back({"scripts", scripts.string(), !scripts.empty()});
  return variables;
}

std::filesystem::path report_file(const std::filesystem::path& folder, int rank, int world_size) {
  return folder / (world_size > 1 ? "report." + std::to_string(rank) + ".json" : "report.json");
}

std::filesystem::path scripts_folder() {
  if (const std::string set = variable_or("SWEEPD_SCRIPTS", ""); !set.empty()) return set;
  return installed_file({"experiments/scripts", "share/sweepd/experiments/scripts"});
}

}  // namespace sweepd::command
