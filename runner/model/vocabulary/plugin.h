// Workloads in libraries and source files of their own. Such a workload is declared like a program
// (model/vocabulary/program.h), by the library instead of the sweep file, and `plugin` stands for
// the worker that loads it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/base/result.h"
#include "runner/model/vocabulary/catalog.h"

namespace sweepd {

inline constexpr std::string_view kPluginBase = "plugin";
inline constexpr std::string_view kPluginFile = "plugin_file";  // its parameter

// Whether a name ends as a source file does: .cpp, .cc, .cxx, .cu.
bool is_plugin_source(std::string_view file);
// Whether the word of `workload` is a file and no name: `./saxpy.so`, `saxpy.cu`, `a/b.so#copy`.
bool names_plugin_file(std::string_view word);

// A plugin's file whose library was asked for its workload.
struct FoundPlugin {
  std::string file;         // absolute; empty: of a stored sweep, whose trials have it
  std::string code;         // of its content
  WorkloadDef declaration;  // declared parameters only
};

// Finds the plugins that sweep files name.
struct PluginFinder {
  // The names in the configuration, for `workload: NAME`.
  std::vector<std::string> names;
  // Takes a file or one of `names`. Not set: sweep files may name no plugin.
  std::function<Result<FoundPlugin>(const std::string& word)> find;
};

// The declaration of a workload that a plugin describes.
WorkloadDef plugin_declaration(const WorkloadDef& described);

// Returns "" or what no workload can have: a parameter or phase twice, an unknown pass.
std::string mistake_in_plugin(const WorkloadDef& declaration);

}  // namespace sweepd
