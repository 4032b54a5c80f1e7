#include "runner/model/vocabulary/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "runner/base/printable.h"
#include "runner/model/vocabulary/known_metric.h"
#include "runner/model/vocabulary/metric_name.h"
#include "runner/model/vocabulary/plugin.h"
#include "runner/model/vocabulary/result_column.h"

namespace sweepd {
namespace {

constexpr std::size_t kLongestName = 48;

bool is_name(std::string_view name, std::string_view also) {
  const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
  const auto fits = [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || also.find(c) != std::string_view::npos;
  };
  return !name.empty() && name.size() <= kLongestName && is_letter(name.front()) &&
         std::ranges::all_of(name, fits);
}

// SQLite's names are not case-sensitive.
bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

// Names that rows, columns and filters of every table may have beside the parameters. A parameter
// may have those of kernels and allocations (`kernel`, `block`).
bool is_taken_column(std::string_view name) {
  const auto& columns = result_column_names();
  const auto end = columns.begin() + static_cast<std::ptrdiff_t>(ResultColumn::kKernel);
  const auto is_name = [name](std::string_view each) { return same_name(each, name); };
  return is_name("device") || is_name("trial") || std::any_of(columns.begin(), end, is_name);
}

// A name that `base` has only for templates, such as `variant`: programs declare theirs.
bool is_offered(const WorkloadDef& base, const ParamDef& param) {
  const ParamDef* argv = base.find("argv");
  // `python` is a template's word and a parameter that every program has: not a plain text.
  const bool plain = !param.run_param && param.form == TextForm::kPlain;
  return argv != nullptr && plain &&
         std::ranges::find(argv->template_names, param.name) != argv->template_names.end();
}

ParamDef* find(std::vector<ParamDef>& params, std::string_view name) {
  const auto found = std::ranges::find(params, name, &ParamDef::name);
  return found == params.end() ? nullptr : &*found;
}

void add_choices(ParamDef& older, const ParamDef& newer) {
  for (const std::string& choice : newer.choices) {
    if (std::ranges::find(older.choices, choice) == older.choices.end()) {
      older.choices.push_back(choice);
    }
  }
}

const ParamDef* almost_the_same(const std::vector<ParamDef>& params, std::string_view name) {
  const auto found = std::ranges::find_if(params, [&](const ParamDef& param) {
    return param.name != name && same_name(param.name, name);
  });
  return found == params.end() ? nullptr : &*found;
}

void merge_param(MergedProgram& merged, const ParamDef& newer) {
  if (const ParamDef* other = almost_the_same(merged.declaration.params, newer.name)) {
    merged.conflicts.push_back(
        {ProgramConflict::Where::kParameter, newer.name,
         fmt::format("`{}` and `{}` of program `{}` differ by case alone; SQL has no difference "
                     "between them",
                     newer.name, other->name, merged.declaration.name)});
    return;
  }
  ParamDef* older = find(merged.declaration.params, newer.name);
  if (older == nullptr) {
    merged.declaration.params.push_back(newer);
  } else if (older->type != newer.type) {
    merged.conflicts.push_back(
        {ProgramConflict::Where::kParameter, newer.name,
         fmt::format("`{}` is {} here, but program `{}` has results in which it is {}; give the "
                     "parameter or the program another name",
                     newer.name, name_of(newer.type), merged.declaration.name,
                     name_of(older->type))});
  } else {
    add_choices(*older, newer);
    older->help = newer.help;
    older->unit = newer.unit;
    older->minimum = newer.minimum;
    older->maximum = newer.maximum;
    older->always_in_key = newer.always_in_key;
    older->grows_memory = newer.grows_memory;
    older->in_caption = newer.in_caption;
  }
}

void merge_metric(MergedProgram& merged, const MetricDef& newer) {
  auto& metrics = merged.declaration.metrics;
  const auto older = std::ranges::find(metrics, newer.name, &MetricDef::name);
  if (older == metrics.end()) {
    metrics.push_back(newer);
  } else if (!older->unit.empty() && older->unit != newer.unit) {
    merged.conflicts.push_back(
        {ProgramConflict::Where::kMetric, newer.name,
         fmt::format("`{}` is in `{}` here, but program `{}` has results in which it is in `{}`; "
                     "give the metric or the program another name",
                     newer.name, newer.unit, merged.declaration.name, older->unit)});
  } else {
    *older = newer;
  }
}

}  // namespace

std::string refusal_of_param_name(const WorkloadDef& base, std::string_view name) {
  if (!is_name(name, "_")) {
    return fmt::format(
        "`{}` is not a name; expected a letter, then letters, digits or `_`, {} in "
        "all",
        brief(name), kLongestName);
  }
  for (const ParamDef& param : base.params) {
    if (is_offered(base, param) || !same_name(param.name, name)) continue;
    return fmt::format("`{}` is reserved: {} has a parameter of this name ({})", name,
                       param.run_param ? "every workload" : "every program", param.help);
  }
  if (is_taken_column(name)) {
    return fmt::format("`{}` is reserved: every table of results has a column of this name", name);
  }
  const ParamDef* argv = base.find("argv");
  if (argv == nullptr) return "";
  for (const std::string& word : argv->template_names) {
    const ParamDef* param = base.find(word);
    const bool offered = param != nullptr && is_offered(base, *param);
    if (offered || !same_name(word, name)) continue;
    return fmt::format("`{}` is reserved: `{{{}}}` in a template is sweepd's own", name, word);
  }
  return "";
}

std::string refusal_of_program_name(const Catalog& catalog, std::string_view name) {
  if (!is_name(name, "_-.")) {
    return fmt::format(
        "`{}` is not a name; expected a letter, then letters, digits, `_`, `-` or `.`, {} in all",
        brief(name), kLongestName);
  }
  if (name.ends_with("_memory")) {
    return fmt::format("`{}` is reserved: the view of a memory pass ends in `_memory`", name);
  }
  for (const std::string& other : catalog.names()) {
    const bool own = other == name && catalog.programs->find(name) != nullptr;
    if (own || !same_name(other, name)) continue;
    return fmt::format("`{}` is taken: {} `{}` is called so", name,
                       catalog.programs->find(other) != nullptr ? "the program" : "the workload",
                       other);
  }
  return "";
}

std::string refusal_of_metric_name(std::string_view name) {
  if (name.empty() || stored_metric_name(name) != name) {
    return fmt::format(
        "`{}` is not a name; expected 1 to {} letters, digits or `_`, as `{}` is stored",
        brief(name), kLongestMetricName, stored_metric_name(name));
  }
  const std::string_view unit = unit_of_metric(name);
  if (unit.empty()) return "";
  return fmt::format("`{}` is reserved: a metric of this name is sweepd's own{}", name,
                     unit == "1" ? "" : fmt::format(", in {}", unit));
}

std::string refusal_of_declaration(const Catalog& catalog, const WorkloadDef& declaration) {
  if (std::string why = refusal_of_program_name(catalog, declaration.name); !why.empty()) {
    return why;
  }
  if (declaration.base == kPluginBase) {
    if (std::string why = mistake_in_plugin(declaration); !why.empty()) return why;
  }
  const WorkloadDef* base = catalog.find(declaration.base);
  for (const ParamDef& param : declaration.params) {
    if (!param.declared) continue;
    std::string why = refusal_of_param_name(base ? *base : WorkloadDef(), param.name);
    if (!why.empty()) return "parameter " + why;
  }
  for (const MetricDef& metric : declaration.metrics) {
    std::string why = refusal_of_metric_name(metric.name);
    if (!why.empty()) return "metric " + why;
  }
  return "";
}

MergedProgram merge_programs(const WorkloadDef& older, const WorkloadDef& newer) {
  MergedProgram merged{older, {}};
  if (!newer.help.empty()) merged.declaration.help = newer.help;
  if (newer.base == kPluginBase) {
    merged.declaration.version = newer.version;
    merged.declaration.passes = newer.passes;
    merged.declaration.analytic = newer.analytic;
  }
  for (const ParamDef& param : newer.params) merge_param(merged, param);
  for (const MetricDef& metric : newer.metrics) merge_metric(merged, metric);
  for (const std::string& phase : newer.phases) {
    auto& phases = merged.declaration.phases;
    if (std::ranges::find(phases, phase) == phases.end()) phases.push_back(phase);
  }
  return merged;
}

WorkloadDef define_program(const WorkloadDef& base, const WorkloadDef& declaration) {
  WorkloadDef program = declaration;
  program.base = base.name;
  if (base.name != kPluginBase) {  // whose library says them
    program.version = base.version;
    program.passes = base.passes;
  }
  program.params.clear();
  std::vector<std::string> offered;
  for (const ParamDef& param : base.params) {
    if (is_offered(base, param)) {
      offered.push_back(param.name);
    } else {
      program.params.push_back(param);
    }
  }
  for (ParamDef& param : program.params) {
    if (param.template_names.empty()) continue;
    std::erase_if(param.template_names, [&](const std::string& name) {
      return std::ranges::find(offered, name) != offered.end();
    });
    for (const ParamDef& own : declaration.params) param.template_names.push_back(own.name);
  }
  program.params.insert(program.params.end(), declaration.params.begin(), declaration.params.end());
  return program;
}

WorkloadDef declaration_of(const WorkloadDef& program) {
  WorkloadDef declaration = program;
  std::erase_if(declaration.params, [](const ParamDef& param) { return !param.declared; });
  return declaration;
}

}  // namespace sweepd
