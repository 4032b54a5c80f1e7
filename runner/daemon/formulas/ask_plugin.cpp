#include "runner/daemon/formulas/ask_plugin.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "runner/base/text.h"
#include "runner/daemon/formulas/ask_worker.h"
#include "runner/daemon/formulas/run_worker.h"
#include "runner/wire/catalog_json.h"
#include "runner/wire/json_text.h"

namespace sweepd {
namespace {

using nlohmann::json;

std::string text_in(const json& answer, const char* name) {
  const auto found = answer.find(name);
  return found != answer.end() && found->is_string() ? found->get<std::string>() : "";
}

// Returns the worker's answer, or its error.
Result<json> ask(const std::filesystem::path& worker, const char* what, const std::string& file,
                 const std::string& shown, Duration limit) {
  const std::string question =
      to_json_line(json{{"ask", what}, {"file", file}, {"shown", shown}}) + "\n";
  const auto run = run_worker(worker, "--plugin", question, limit);
  if (!run) return run.error();
  if (!run->exit_code && !run->signal) {
    return Error{ErrorCode::kUnavailable,
                 fmt::format("`{}`: the worker took longer than {} to {} it, and was killed", shown,
                             to_text(limit), what)};
  }
  json answer = parse_json(run->text);
  if (run->exit_code != 0 || !answer.is_object()) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("`{}`: the worker that had to {} it ended before it answered: {}",
                             shown, what, how_it_ended(*run))};
  }
  if (std::string why = text_in(answer, "error"); !why.empty()) {
    return Error{ErrorCode::kInvalidArgument, std::move(why)};
  }
  return answer;
}

Result<WorkloadDef> one_of(const Catalog& catalog, const std::string& shown,
                           const std::string& name) {
  if (name.empty() && catalog.workloads.size() == 1) return catalog.workloads.front();
  if (const WorkloadDef* def = name.empty() ? nullptr : catalog.find(name)) return *def;
  const std::string names = join(catalog.names(), ", ");
  if (!name.empty()) {
    return Error{ErrorCode::kNotFound,
                 fmt::format("`{}` has no workload `{}`; it has {}", shown, name, names)};
  }
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("`{0}` has several workloads: {1}; name one, as in `{0}#{2}`", shown,
                           names, catalog.workloads.front().name)};
}

}  // namespace

Result<FoundPlugin> ask_for_plugin(const std::filesystem::path& worker, const std::string& word,
                                   const std::filesystem::path& folder, PluginLimits limits) {
  const std::size_t hash = word.rfind('#');
  const std::string shown = word.substr(0, hash);
  const std::string name = hash == std::string::npos ? "" : word.substr(hash + 1);
  const auto file = (folder / shown).lexically_normal();  // an absolute one stays as it is
  if (!file.is_absolute()) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("`{}` is relative, and the folder of the sweep file is not known; "
                             "write an absolute path",
                             shown)};
  }
  const auto kept = ask(worker, "keep", file.string(), shown, limits.keep);
  if (!kept) return kept.error();
  const auto described = ask(worker, "describe", text_in(*kept, "library"), shown, limits.describe);
  if (!described) return described.error();
  const auto catalog = catalog_from_json(*described);
  if (!catalog) return Error{catalog.error().code, shown + ": " + catalog.error().message};
  const auto def = one_of(*catalog, shown, name);
  if (!def) return def.error();
  return FoundPlugin{file.string(), text_in(*kept, "code"), plugin_declaration(*def)};
}

}  // namespace sweepd
