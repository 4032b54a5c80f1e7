#include "runner/sweepfile/sweep/plugin.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "runner/model/vocabulary/program.h"

namespace sweepd::sweepfile {
namespace {

// Returns "" or why the workload of the plugin cannot have its name or its parameters' names.
std::string refusal_of(const Catalog& catalog, const WorkloadDef& declaration) {
  const WorkloadDef* known = catalog.programs->find(declaration.name);
  if (known != nullptr && known->base != kPluginBase) {
    return fmt::format("`{0}` is taken: the program `{0}` is called so", declaration.name);
  }
  return refusal_of_declaration(catalog, declaration);
}

// With what earlier builds of the plugin declared. Only this build's parameters are in the keys.
MergedProgram merged(const Catalog& catalog, const WorkloadDef& declaration) {
  const WorkloadDef* known = catalog.programs->find(declaration.name);
  if (known == nullptr) return {declaration, {}};
  WorkloadDef older = declaration_of(*known);
  for (ParamDef& param : older.params) param.always_in_key = false;
  return merge_programs(older, declaration);
}

}  // namespace

bool is_plugin(const PluginFinder& plugins, std::string_view word) {
  return plugins.find &&
         (names_plugin_file(word) || std::ranges::find(plugins.names, word) != plugins.names.end());
}

void read_plugin(Reporter& report, const Catalog& catalog, const PluginFinder& plugins,
                 Draft& draft, const Node& node) {
  const auto fail = [&](const std::string& why) {
    report.error_of_program(node.mark, "workload: " + why);
  };
  const WorkloadDef* base = catalog.find(kPluginBase);
  if (base == nullptr) return fail("this worker loads no plugins");
  auto found = plugins.find(node.text);
  if (!found) return fail(found.error().message);
  const WorkloadDef& declaration = found->declaration;
  if (std::string why = refusal_of(catalog, declaration); !why.empty()) return fail(why);
  MergedProgram all = merged(catalog, declaration);
  for (const ProgramConflict& conflict : all.conflicts) fail(conflict.message);
  if (!all.conflicts.empty()) return;
  draft.declared = declaration.params;
  draft.sweep.workload = declaration.name;
  draft.sweep.program = std::make_shared<const WorkloadDef>(define_program(*base, all.declaration));
  draft.def = draft.sweep.program.get();
  const auto file = draft.def->index_of(kPluginFile);
  if (!file || found->file.empty()) return;
  draft.claims[*file] = {"workload", node.mark};
  draft.sweep.params.push_back({*file, std::move(found->file)});
}

}  // namespace sweepd::sweepfile
