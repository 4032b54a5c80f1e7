#include "runner/daemon/planning/prepare.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "db/query/query.h"
#include "runner/base/text.h"
#include "runner/daemon/attempts/item_of.h"
#include "runner/model/sweep/launcher.h"
#include "runner/model/vocabulary/known_metric.h"
#include "runner/model/vocabulary/plugin.h"
#include "runner/model/vocabulary/program.h"
#include "runner/report/cell/divided_metric.h"
#include "runner/report/cell/report.h"
#include "runner/report/plot/plot.h"
#include "runner/sched/resources.h"
#include "runner/sweepfile/sweep/templates.h"

namespace sweepd {

using nlohmann::json;

namespace {

// Without the memory pass a column of peaks would stay empty forever.
void check_pass(std::vector<TableMistake>& mistakes, const Sweep& sweep, const std::string& metric,
                std::optional<std::size_t> value) {
  const auto pass = pass_of_metric(metric_alone(metric));
  if (!pass || std::find(sweep.passes.begin(), sweep.passes.end(), *pass) != sweep.passes.end()) {
    return;
  }
  std::vector<std::string> passes;
  for (const Pass own : sweep.passes) passes.emplace_back(name_of(own));
  const std::string have = join(passes, ", ");
  mistakes.push_back({"metric", value,
                      fmt::format("metric: `{0}` is measured by the {1} pass, and this sweep has "
                                  "none; write passes: [{2}, {1}]",
                                  metric, name_of(*pass), have)});
}

std::vector<TableMistake> check_table(const TableSpec& table, const Sweep& sweep,
                                      const WorkloadDef& def) {
  std::vector<std::string> dimensions = dimensions_of(def);
  dimensions.emplace_back("source");
  std::vector<TableMistake> mistakes = mistakes_in(table, dimensions, def.metrics);
  if (table.values.empty()) check_pass(mistakes, sweep, table.metric, std::nullopt);
  for (std::size_t i = 0; i < table.values.size(); ++i) {
    const std::string& own = table.values[i].metric;
    check_pass(mistakes, sweep, own.empty() ? table.metric : own, i);
  }
  return mistakes;
}

std::vector<TableMistake> check_plot(const PlotSpec& plot, const Sweep& sweep,
                                     const WorkloadDef& def) {
  std::vector<TableMistake> mistakes = mistakes_in(plot, dimensions_of(def), def.metrics);
  std::size_t beside = 0;
  for (const TableSpec* table : {&plot.data, &plot.lines}) {
    for (const TableSpec::Value& value : table->values) {
      const bool own = &value == &plot.data.values.front();
      const std::string& metric = value.metric.empty() ? table->metric : value.metric;
      check_pass(mistakes, sweep, metric, own ? std::nullopt : std::optional(beside++));
    }
  }
  return mistakes;
}

// Checks the expanded points: whether any is left, whether each sets the parameters that it uses,
// and how large each is.
std::optional<Error> refuse(const Sweep& sweep, const WorkloadDef& def, const Expansion& expansion,
                            const Pools& pools) {
  if (expansion.trials.empty()) {
    return Error{ErrorCode::kInvalidArgument,
                 "sweep `" + sweep.name + "`: every point is excluded, so there is nothing to run"};
  }
  if (const auto mistake = mistake_in_templates(def, expansion, sweep)) {
    return Error{ErrorCode::kInvalidArgument, "sweep `" + sweep.name + "`: " + *mistake};
  }
  if (def.analytic) return std::nullopt;  // formulas have no ranks
  std::vector<Resources> resources;
  for (const PoolUse& use : pools) resources.emplace_back(use.pool);
  for (const ExpandedTrial& trial : expansion.trials) {
    const PoolIndex pool = pool_of(pools, def, trial.trial).value_or(0);
    const std::string why =
        resources[pool].refusal_of_ranks(item_of(def, trial.trial, Pass::kTiming));
    if (why.empty()) continue;
    return Error{ErrorCode::kInvalidArgument, fmt::format("sweep `{}`: {}", sweep.name, why)};
  }
  return std::nullopt;
}

// The kinds of device that `auto` is in the pools of the sweep.
std::set<std::string> devices_of(const Sweep& sweep, const WorkloadDef& def, const Pools& pools) {
  std::set<std::string> devices;
  for (const std::string& pool : pools_of(sweep, def)) devices.emplace(pools.device_in(pool));
  return devices;
}

// Rules are applied before `auto` is resolved where it differs by pool.
std::optional<Error> refuse_device_rules(const Sweep& sweep, const WorkloadDef& def,
                                         const Pools& pools) {
  const auto device = def.index_of("device");
  if (!device || devices_of(sweep, def, pools).size() == 1) return std::nullopt;
  for (const ExcludeRule& rule : sweep.exclude) {
    const auto names_it = [&](const Axis& key) { return key.param == *device; };
    if (std::none_of(rule.keys.begin(), rule.keys.end(), names_it)) continue;
    return Error{
        ErrorCode::kInvalidArgument,
        fmt::format("sweep `{}`: the exclude rule at line {} names `device`, and `auto` is "
                    "another device in each of its pools; write `pool` in the rule, or "
                    "give `device` its values",
                    sweep.name, rule.line)};
  }
  return std::nullopt;
}

// `auto` is resolved before keys are made: a result must say where it was measured.
Expansion expand_in_pools(Sweep& sweep, const WorkloadDef& def, const Pools& pools) {
  const std::set<std::string> devices = devices_of(sweep, def, pools);
  if (devices.size() > 1) {
    return expand(sweep, def, [&](std::string_view pool) { return pools.device_in(pool); });
  }
  resolve_device(sweep, def, *devices.begin());
  return expand(sweep, def);
}

// Sets the computed parameter of the trials that leave it at its default, and their keys. Trials
// cannot become equal: they differ in other parameters.
Result<void> fill_in(const WorkloadDef& def, Expansion& expansion, const ComputeCode& compute) {
  const auto computed = def.computed_param();
  if (!computed || !compute) return {};
  std::vector<ExpandedTrial*> open;
  std::vector<const Trial*> asked;
  for (ExpandedTrial& trial : expansion.trials) {
    if (trial.trial.values[*computed] != def.params[*computed].default_value) continue;
    open.push_back(&trial);
    asked.push_back(&trial.trial);
  }
  if (asked.empty()) return {};
  auto codes = compute(def, asked);
  if (!codes) return codes.error();
  for (std::size_t i = 0; i < open.size(); ++i) {
    open[i]->trial.values[*computed] = std::move((*codes)[i]);
    open[i]->base_key = std::move(open[i]->key);
    open[i]->key = key_of(def, open[i]->trial);
  }
  return {};
}

constexpr const char* kOtherFile =
    "plugin_file: it is the file that `workload` names, and no other";

// The code of a plugin is that of the content whose parameters the sweep has.
PluginFinder noting_codes(const PluginFinder& plugins, std::map<std::string, std::string>& codes) {
  if (!plugins.find) return plugins;
  return {plugins.names, [&plugins, &codes](const std::string& word) {
            auto found = plugins.find(word);
            if (found) codes[found->file] = found->code;
            return found;
          }};
}

ComputeCode with_plugins(const ComputeCode& compute,
                         const std::map<std::string, std::string>& codes) {
  if (!compute) return compute;
  return [&](const WorkloadDef& def,
             const std::vector<const Trial*>& trials) -> Result<std::vector<std::string>> {
    if (def.base != kPluginBase) return compute(def, trials);
    std::vector<std::string> known;
    for (const Trial* trial : trials) {
      const auto code = codes.find(trial->text(def, kPluginFile));
      if (code == codes.end()) return Error{ErrorCode::kInvalidArgument, kOtherFile};
      known.push_back(code->second);
    }
    return known;
  };
}

std::map<std::string, std::string> devices_by_pool(const Sweep& sweep, const WorkloadDef& def,
                                                   const Pools& pools) {
  std::map<std::string, std::string> devices;
  for (const std::string& pool : pools_of(sweep, def)) devices[pool] = pools.device_in(pool);
  return devices;
}

}  // namespace

std::shared_ptr<const WorkloadDef> stored_form(const WorkloadDef& program, const Catalog& catalog) {
  return std::make_shared<const WorkloadDef>(
      define_program(*catalog.find(program.base), declaration_of(program)));
}

Result<std::vector<Override>> parse_overrides(const std::vector<std::string>& texts,
                                              bool where_it_fits) {
  std::vector<Override> overrides;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      return Error{ErrorCode::kInvalidArgument,
                   "--set: `" + text + "` must be name=value or name=value,value,..."};
    }
    overrides.push_back({text.substr(0, equals), text.substr(equals + 1), where_it_fits});
  }
  return overrides;
}

std::shared_ptr<PreparedSweeps> prepare_sweeps(const std::string& text, const std::string& file,
                                               const Catalog& catalog, const Pools& pools,
                                               const std::vector<Override>& overrides,
                                               const AskedOfWorker& ask,
                                               const SubmittedFrom& from) {
  auto prepared = std::make_shared<PreparedSweeps>();
  std::map<std::string, std::string> codes;  // of the plugins, by file
  const ComputeCode compute = with_plugins(ask.compute, codes);
  Parsed parsed = parse_sweeps(text, file, with_pools(catalog, pools.names()), overrides,
                               check_table, check_plot, noting_codes(ask.plugins, codes));
  prepared->errors = std::move(parsed.errors);
  prepared->unfit = std::move(parsed.unfit);
  if (!prepared->errors.empty()) return prepared;
  for (Sweep& sweep : parsed.sweeps) {
    if (sweep.program) sweep.program = stored_form(*sweep.program, catalog);
    const std::shared_ptr<const WorkloadDef> program = sweep.program;
    const WorkloadDef* def = program ? program.get() : catalog.find(sweep.workload);
    set_origin(sweep, *def, from);
    prepared->refusal = refuse_device_rules(sweep, *def, pools);
    if (prepared->refusal) return prepared;
    auto devices = devices_by_pool(sweep, *def, pools);
    Expansion expansion = expand_in_pools(sweep, *def, pools);
    prepared->refusal = refuse(sweep, *def, expansion, pools);
    if (prepared->refusal) return prepared;
    if (const auto filled = fill_in(*def, expansion, compute); !filled) {
      prepared->refusal = Error{filled.error().code,
                                fmt::format("sweep `{}`: {}", sweep.name, filled.error().message)};
      return prepared;
    }
    prepared->sweeps.push_back(
        {std::move(sweep), def, std::move(expansion), program, std::move(devices)});
  }
  return prepared;
}

std::vector<std::string> warnings_of(const PreparedSweep& sweep) {
  const std::string warning = launcher_warning(*sweep.def, sweep.expansion.trials.front().trial);
  return warning.empty() ? std::vector<std::string>{} : std::vector<std::string>{warning};
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
