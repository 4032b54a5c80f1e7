#include "runner/daemon/plugins.h"

#include <spdlog/spdlog.h>

#include "runner/daemon/formulas/ask_plugin.h"
#include "runner/model/vocabulary/program.h"

namespace sweepd {

Result<WorkloadDef> describe_plugin(const std::filesystem::path& worker, const Catalog& catalog,
                                    const std::string& file) {
  const WorkloadDef* base = catalog.find(kPluginBase);
  if (base == nullptr) return Error{ErrorCode::kNotFound, "this worker loads no plugins"};
  const auto found = ask_for_plugin(worker, file, "");
  if (!found) return found.error();
  if (std::string why = refusal_of_declaration(catalog, found->declaration); !why.empty()) {
    return Error{ErrorCode::kInvalidArgument, file + ": " + why};
  }
  return define_program(*base, found->declaration);
}

std::map<std::string, std::string> add_plugins(const std::filesystem::path& worker,
                                               const std::vector<std::string>& files,
                                               Catalog& catalog) {
  std::map<std::string, std::string> plugins;
  for (const std::string& file : files) {
    auto def = describe_plugin(worker, catalog, file);
    if (!def) {
      spdlog::error("the configuration's plugin {} is left out: {}", file, def.error().message);
      continue;
    }
    if (const auto other = plugins.find(def->name); other != plugins.end()) {
      spdlog::error("the configuration's plugin {} is left out: {} has a workload `{}` too", file,
                    other->second, def->name);
      continue;
    }
    plugins[def->name] = file;
    catalog.programs->set(std::move(*def));
  }
  return plugins;
}

}  // namespace sweepd
