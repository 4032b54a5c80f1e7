#include "runner/worker/plugins/plugin_workload.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "runner/model/vocabulary/plugin.h"
#include "runner/wire/catalog_json.h"
#include "runner/wire/json_text.h"
#include "runner/wire/message.h"
#include "runner/worker/plugins/load.h"
#include "runner/worker/plugins/plugin_file.h"

namespace sweepd {
namespace {

struct PluginParams {
  std::string plugin_file, code;
  void visit(auto& field) {
    field("plugin_file", plugin_file,
          "the shared library or source file; `workload: ./NAME.so` sets it, and it is no part of "
          "the key",
          Scheduling());
    field("code", code,
          "its content, as `NAME:HASH`; computed at submission; `any` runs what the file has then",
          Computed());
  }
};

constexpr const char* kWithoutFile =
    "`plugin` needs a shared library or source file: `workload: ./NAME.so`";

// Never measured itself.
class Plugin final : public Workload {
 public:
  using Params = PluginParams;
  static constexpr std::string_view kHelp =
      "a workload in a shared library or source file of its own: `workload: ./NAME.so` "
      "(docs/PLUGINS.md)";
  static WorkPerStep work(const Params&, const RunParams&) {
    throw std::invalid_argument(kWithoutFile);
  }
  Plugin(const Params&, Context&) { throw std::invalid_argument(kWithoutFile); }
  void step(Phases&) override {}
};

struct PluginQuestion {
  std::string ask, file, shown;
  static void visit(auto& self, auto&& field) {
    field("ask", self.ask, "");
    field("file", self.file, "");
    field("shown", self.shown, "");
  }
};

std::string error_line_of(const Error& error) {
  return to_json_line(nlohmann::json{{"error", error.message}});
}

}  // namespace

WorkloadEntry plugin_entry() {
  return detail::entry_of<Plugin>(kPluginBase);
}

Result<LoadedEntry> loaded_entry(const Measured& measured, const NamedValues& values) {
  if (measured.def.base != kPluginBase) return LoadedEntry{measured.entry};
  const auto params = read_params<PluginParams>(values);
  if (params.plugin_file.empty()) return Error{ErrorCode::kInvalidArgument, kWithoutFile};
  const auto library = library_of_code(params.plugin_file, params.code);
  if (!library) return library.error();
  const auto registry = load_plugin(*library, params.plugin_file);
  if (!registry) return registry.error();
  const WorkloadEntry* entry = (*registry)->find(measured.def.name);
  if (entry != nullptr) return LoadedEntry{entry, !needs_libtorch(*library)};
  return Error{ErrorCode::kNotFound,
               fmt::format("`{}` has no workload `{}`", params.plugin_file, measured.def.name)};
}

std::string plugin_line(std::string_view question) {
  PluginQuestion asked;
  if (const auto read = from_message(parse_json(question), asked); !read) {
    return error_line_of(read.error());
  }
  if (asked.ask == "keep") {
    const auto kept = keep_plugin(asked.file, asked.shown);
    if (!kept) return error_line_of(kept.error());
    return to_json_line(nlohmann::json{{"library", kept->library.string()}, {"code", kept->code}});
  }
  const auto registry = load_plugin(asked.file, asked.shown);
  return registry ? to_json_line(to_json((*registry)->catalog())) : error_line_of(registry.error());
}

}  // namespace sweepd
