#include "runner/model/vocabulary/plugin.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "runner/model/vocabulary/pass.h"

namespace sweepd {

bool is_plugin_source(std::string_view file) {
  constexpr std::array<std::string_view, 4> kEndings{".cpp", ".cc", ".cxx", ".cu"};
  return std::ranges::any_of(kEndings, [&](std::string_view end) { return file.ends_with(end); });
}

bool names_plugin_file(std::string_view word) {
  const std::string_view file = word.substr(0, word.rfind('#'));
  return file.find('/') != std::string_view::npos || file.ends_with(".so") ||
         is_plugin_source(file);
}

namespace {

constexpr std::string_view kOfNames =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";

// Returns the first name that an earlier one equals, or "".
std::string repeated(const std::vector<std::string>& names) {
  for (auto name = names.begin(); name != names.end(); ++name) {
    if (std::find(names.begin(), name, *name) != name) return *name;
  }
  return "";
}

}  // namespace

std::string mistake_in_plugin(const WorkloadDef& declaration) {
  if (declaration.version < 0) {
    return fmt::format("version {} is below 0; expected 0 or more", declaration.version);
  }
  std::vector<std::string> params;
  for (const ParamDef& param : declaration.params) {
    if (param.role == ParamRole::kPlace) {
      return fmt::format("parameter `{}` is a Place, which only sweepd's own `pool` is",
                         param.name);
    }
    params.push_back(param.name);
  }
  if (const std::string twice = repeated(params); !twice.empty()) {
    return fmt::format("parameter `{}` is there twice", twice);
  }
  if (const std::string twice = repeated(declaration.phases); !twice.empty()) {
    return fmt::format("phase `{}` is there twice", twice);
  }
  for (const std::string& phase : declaration.phases) {
    if (phase.empty() || phase == "step" ||
        phase.find_first_not_of(kOfNames) != std::string::npos) {
      return fmt::format(
          "phase `{}` is not a name; expected letters, digits, `_`, `-` or `.`, and "
          "not `step`, which is all of it",
          phase);
    }
  }
  for (const std::string& pass : declaration.passes) {
    if (!pass_from(pass)) {
      return fmt::format("pass `{}` is unknown; expected timing, memory or profile", pass);
    }
  }
  return "";
}

WorkloadDef plugin_declaration(const WorkloadDef& described) {
  WorkloadDef declaration = described;
  declaration.base = kPluginBase;
  declaration.code.clear();
  std::erase_if(declaration.params, [](const ParamDef& param) { return param.run_param; });
  for (ParamDef& param : declaration.params) {
    param.declared = true;
    param.always_in_key = true;
  }
  return declaration;
}

}  // namespace sweepd
