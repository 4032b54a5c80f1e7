#include "runner/daemon/handlers/prepare.h"

#include "db/query.h"
#include "runner/report/report.h"

namespace sweepd {

using nlohmann::json;

namespace {

// What only the report layer and the expansion know: a table's cells and units, and whether any
// point is left.
std::optional<Error> refuse(const Sweep& sweep, const WorkloadDef& def,
                            const Expansion& expansion) {
  std::vector<std::string> dimensions = def.param_names();
  const auto& common = common_dimensions();
  dimensions.insert(dimensions.end(), common.begin(), common.end());
  for (const TableSpec& table : sweep.tables) {
    if (const auto valid = validate(table, dimensions); !valid) {
      return Error{valid.error().code, "sweep `" + sweep.name + "`, table `" + table.title +
                                           "`: " + valid.error().message};
    }
  }
  if (expansion.trials.empty()) {
    return Error{ErrorCode::kInvalidArgument,
                 "sweep `" + sweep.name + "`: every point is excluded, so there is nothing to run"};
  }
  return std::nullopt;
}

}  // namespace

Result<std::vector<Override>> parse_overrides(const std::vector<std::string>& texts) {
  std::vector<Override> overrides;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      return Error{ErrorCode::kInvalidArgument,
                   "--set: `" + text + "` must be name=value or name=value,value,..."};
    }
    overrides.push_back({text.substr(0, equals), text.substr(equals + 1)});
  }
  return overrides;
}

std::shared_ptr<PreparedSweeps> prepare_sweeps(const std::string& text, const std::string& file,
                                               const Catalog& catalog, const Machine& machine,
                                               const std::vector<Override>& overrides) {
  auto prepared = std::make_shared<PreparedSweeps>();
  Parsed parsed = parse_sweeps(text, file, catalog, overrides);
  prepared->errors = std::move(parsed.errors);
  if (!prepared->errors.empty()) return prepared;
  for (Sweep& sweep : parsed.sweeps) {
    const WorkloadDef* def = catalog.find(sweep.workload);
    // `auto` is settled here, before keys are made: a result must say where it was measured.
    resolve_device(sweep, *def, machine.gpus.empty() ? "cpu" : "cuda");
    Expansion expansion = expand(sweep, *def);
    prepared->refusal = refuse(sweep, *def, expansion);
    if (prepared->refusal) return prepared;
    prepared->sweeps.push_back({std::move(sweep), def, std::move(expansion)});
  }
  return prepared;
}

RpcError diagnostics_error(const std::vector<Diagnostic>& errors) {
  json list = json::array();
  for (const Diagnostic& error : errors) {
    list.push_back({{"file", error.file},
                    {"line", error.line},
                    {"column", error.column},
                    {"length", error.length},
                    {"message", error.message},
                    {"help", error.help}});
  }
  return {RpcCode::kInvalidParams, render(errors), {{"diagnostics", list}}};
}

}  // namespace sweepd
