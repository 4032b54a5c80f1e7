#include "runner/model/vocabulary/plugin.h"

#include <algorithm>
#include <array>

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
