#include "runner/daemon/planning/submitted_from.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "runner/base/text.h"
#include "runner/model/vocabulary/program.h"
#include "runner/model/vocabulary/template_text.h"

namespace sweepd {
namespace {

// The words of `env` that are names alone.
void add_names(const Value& env, std::set<std::string, std::less<>>& names) {
  const auto words = cut_words(std::get<std::string>(env));
  if (!words) return;  // reported elsewhere
  for (const std::string& word : *words) {
    if (word.find('=') == std::string::npos) names.insert(word);
  }
}

std::set<std::string, std::less<>> names_in(const Sweep& sweep, std::size_t env) {
  std::set<std::string, std::less<>> names(kSubmitterVariables.begin(), kSubmitterVariables.end());
  each_value(sweep, [&](std::size_t param, const Value& value) {
    if (param == env) add_names(value, names);
  });
  return names;
}

bool sets(const Sweep& sweep, std::size_t param) {
  return std::ranges::any_of(sweep.params, [&](const Setting& s) { return s.param == param; });
}

}  // namespace

void set_origin(Sweep& sweep, const WorkloadDef& def, const SubmittedFrom& from) {
  const auto folder = def.index_of("submitted_from");
  const auto environment = def.index_of("submitted_environment");
  const auto env = def.index_of("env");
  if (!folder) return;
  if (!from.folder.empty() && !sets(sweep, *folder)) {
    sweep.params.push_back({*folder, from.folder});
  }
  if (!environment || !env || from.environment.empty() || sets(sweep, *environment)) return;
  const auto names = names_in(sweep, *env);
  std::vector<std::string> kept;
  for (const std::string& variable : from.environment) {
    const std::string_view name = std::string_view(variable).substr(0, variable.find('='));
    const bool one_line = variable.find('\n') == std::string::npos;
    if (one_line && names.contains(name)) kept.push_back(variable);
  }
  std::ranges::sort(kept);
  sweep.params.push_back({*environment, join(kept, "\n")});
}

std::vector<std::string> kept_environment(const Sweep& sweep, const WorkloadDef& def) {
  std::vector<std::string> kept;
  const auto environment = def.index_of("submitted_environment");
  for (const Setting& setting : sweep.params) {
    if (setting.param != environment) continue;
    for (const std::string& line : split(std::get<std::string>(setting.value), '\n')) {
      if (!line.empty()) kept.push_back(line);
    }
  }
  return kept;
}

}  // namespace sweepd
