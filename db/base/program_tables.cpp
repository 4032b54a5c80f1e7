#include "db/base/program_tables.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "db/base/catalog_tables.h"
#include "db/base/declaration_json.h"
#include "runner/model/vocabulary/plugin.h"
#include "runner/model/vocabulary/program.h"

namespace sweepd {
namespace {

// A parameter and a program as they are stored. The default is a text, as written in a sweep file.
struct StoredParam {
  std::string name;
  ValueType type = ValueType::kInteger;
  std::string default_value, unit, help;
  std::optional<double> minimum, maximum;
  std::vector<std::string> choices;
  bool grows_memory = false;
  InCaption in_caption = InCaption::kIfSet;
  bool operator==(const StoredParam&) const = default;
  static void visit(auto& self, auto&& field) {
    field("name", self.name, "");
    field("type", self.type, "");
    field("default", self.default_value, "");
    field("unit", self.unit, "");
    field("help", self.help, "");
    field("minimum", self.minimum, "");
    field("maximum", self.maximum, "");
    field("choices", self.choices, "");
    field("grows_memory", self.grows_memory, "");
    field("in_caption", self.in_caption, "");
  }
};
struct StoredProgram {
  std::string base, help;
  std::vector<StoredParam> params;
  std::vector<MetricDef> metrics;
  std::vector<std::string> phases;
  // Of a plugin; of a program those of its base count.
  std::int64_t version = 0;
  std::vector<std::string> passes;
  bool analytic = false;
  static void visit(auto& self, auto&& field) {
    field("base", self.base, "");
    field("help", self.help, "");
    field("params", self.params, "");
    field("metrics", self.metrics, "");
    field("phases", self.phases, "");
    field("version", self.version, "");
    field("passes", self.passes, "");
    field("analytic", self.analytic, "");
  }
};

StoredProgram stored_form(const WorkloadDef& def) {
  StoredProgram stored{def.base, def.help, {}, def.metrics, def.phases, 0, {}, def.analytic};
  if (def.base == kPluginBase) {
    stored.version = def.version;
    stored.passes = def.passes;
  }
  for (const ParamDef& param : def.params) {
    stored.params.push_back({param.name, param.type, param.text(param.default_value), param.unit,
                             param.help, param.minimum, param.maximum, param.choices,
                             param.grows_memory, param.in_caption});
  }
  return stored;
}

Result<WorkloadDef> declared_form(const std::string& name, const std::string& json) {
  auto stored = declaration_from<StoredProgram>(json);
  if (!stored) return stored.error();
  WorkloadDef def;
  def.name = name;
  def.base = stored->base;
  def.help = stored->help;
  def.metrics = stored->metrics;
  def.phases = stored->phases;
  if (stored->version > 0) def.version = static_cast<int>(stored->version);
  def.passes = stored->passes;
  def.analytic = stored->analytic;
  for (const StoredParam& from : stored->params) {
    ParamDef param;
    param.name = from.name;
    param.type = from.type;
    param.unit = from.unit;
    param.help = from.help;
    param.choices = from.choices;
    param.grows_memory = from.grows_memory;
    param.in_caption = from.in_caption;
    param.declared = true;
    param.always_in_key = true;
    auto value = param.parse(from.default_value);
    if (!value) return value.error();
    param.default_value = std::move(*value);
    param.minimum = from.minimum;  // set last: the default may be outside
    param.maximum = from.maximum;
    def.params.push_back(std::move(param));
  }
  return def;
}

// `query` is at a row of name and json.
Result<WorkloadDef> read_program(const Query& query) {
  auto def = declared_form(query.text(0), query.text(1));
  if (def) return def;
  return Error{ErrorCode::kFailedPrecondition,
               fmt::format("program `{}`: {}", query.text(0), def.error().message)};
}

Result<WorkloadDef> add_to_stored(Connection& connection, const WorkloadDef& declaration) {
  Query query(connection, "SELECT name, json FROM program WHERE name = ?");
  query.bind(declaration.name);
  if (!query.next()) return declaration;
  const auto stored = read_program(query);
  if (!stored) return stored.error();
  MergedProgram merged = merge_programs(*stored, declaration);
  if (merged.conflicts.empty()) return std::move(merged.declaration);
  return Error{ErrorCode::kFailedPrecondition, merged.conflicts.front().message};
}

}  // namespace

Result<std::vector<WorkloadDef>> read_programs(Connection& connection, const std::string& schema) {
  std::vector<WorkloadDef> programs;
  Query query(connection,
              fmt::format("SELECT name, json FROM {}.program ORDER BY name", sql_name(schema)));
  while (query.next()) {
    auto def = read_program(query);
    if (!def) return def.error();
    programs.push_back(std::move(*def));
  }
  return programs;
}

Result<WorkloadDef> store_program(Connection& connection, const Catalog& catalog,
                                  const WorkloadDef& declaration) {
  auto merged = add_to_stored(connection, declaration);
  if (!merged) return merged.error();
  WorkloadDef& whole = *merged;
  for (ParamDef& param : whole.params) param.always_in_key = true;
  Query(connection,
        "INSERT INTO program (name, json) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET json = "
        "excluded.json")
      .bind_all(whole.name, declaration_json(stored_form(whole)))
      .run();
  const WorkloadDef* base = catalog.find(declaration.base);
  if (base == nullptr) return whole;  // another build can run it
  WorkloadDef program = define_program(*base, whole);
  if (const auto applied = apply_workload(connection, program); !applied) return applied.error();
  return program;
}

Result<void> load_programs(Connection& connection, const Catalog& catalog) {
  auto all = read_programs(connection, "main");
  if (!all) return all.error();
  for (WorkloadDef& def : *all) {
    const WorkloadDef* base = catalog.find(def.base);
    if (base != nullptr) catalog.programs->set(define_program(*base, def));
  }
  return {};
}

}  // namespace sweepd
