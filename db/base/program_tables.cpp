#include "db/base/program_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "db/base/catalog_tables.h"
#include "runner/base/text.h"
#include "runner/model/program.h"

namespace sweepd {
namespace {

std::string in(const std::string& schema, const char* table) {
  return sql_name(schema) + "." + table;
}

bool has_programs(Connection& connection, const std::string& schema) {
  Query query(connection, "SELECT 1 FROM " + in(schema, "sqlite_schema") +
                              " WHERE type = 'table' AND name = 'program'");
  return query.next();
}

void read_choices(Connection& connection, const std::string& schema, std::int64_t program,
                  ParamDef& param) {
  Query query(connection, "SELECT choice FROM " + in(schema, "program_choice") +
                              " WHERE program = ? AND param = ? ORDER BY position");
  query.bind_all(program, param.name);
  while (query.next()) param.choices.push_back(query.text(0));
}

Result<void> read_params(Connection& connection, const std::string& schema, std::int64_t program,
                         WorkloadDef& def) {
  Query query(connection, "SELECT name, type, default_value, unit, help, minimum, maximum FROM " +
                              in(schema, "program_param") + " WHERE program = ? ORDER BY position");
  query.bind(program);
  while (query.next()) {
    ParamDef param;
    param.name = query.text(0);
    const auto type = value_type_from(query.text(1));
    if (!type) return type.error();
    param.type = *type;
    param.unit = query.text(3);
    param.help = query.text(4);
    param.declared = true;
    param.always_in_key = true;
    read_choices(connection, schema, program, param);
    auto value = param.parse(query.text(2));
    if (!value) return value.error();
    param.default_value = std::move(*value);
    param.minimum = query.maybe_real(5);
    param.maximum = query.maybe_real(6);
    def.params.push_back(std::move(param));
  }
  return {};
}

void read_metrics(Connection& connection, const std::string& schema, std::int64_t program,
                  WorkloadDef& def) {
  Query query(connection, "SELECT name, unit, better, help FROM " + in(schema, "program_metric") +
                              " WHERE program = ? ORDER BY position");
  query.bind(program);
  while (query.next()) {
    MetricDef metric{query.text(0), query.text(1), Better::kUnknown, query.text(3)};
    for (const Better better : {Better::kSmaller, Better::kLarger}) {
      if (query.text(2) == name_of(better)) metric.better = better;
    }
    def.metrics.push_back(std::move(metric));
  }
}

void read_phases(Connection& connection, const std::string& schema, std::int64_t program,
                 WorkloadDef& def) {
  Query query(connection, "SELECT name FROM " + in(schema, "program_phase") +
                              " WHERE program = ? ORDER BY position");
  query.bind(program);
  while (query.next()) def.phases.push_back(query.text(0));
}

void write_details(Connection& connection, std::int64_t program, const WorkloadDef& def) {
  for (const char* table : {"program_param", "program_choice", "program_metric", "program_phase"}) {
    Query(connection, fmt::format("DELETE FROM {} WHERE program = ?", table)).bind(program).run();
  }
  std::int64_t position = 0;
  for (const ParamDef& param : def.params) {
    Query(connection,
          "INSERT INTO program_param (program, position, name, type, default_value, unit, help, "
          "minimum, maximum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .bind_all(program, position++, param.name, name_of(param.type),
                  param.text(param.default_value), param.unit, param.help, param.minimum,
                  param.maximum)
        .run();
    for (std::size_t i = 0; i < param.choices.size(); ++i) {
      Query(connection,
            "INSERT INTO program_choice (program, param, position, choice) VALUES (?, ?, ?, ?)")
          .bind_all(program, param.name, static_cast<std::int64_t>(i), param.choices[i])
          .run();
    }
  }
  position = 0;
  for (const MetricDef& metric : def.metrics) {
    Query(connection,
          "INSERT INTO program_metric (program, position, name, unit, better, help) VALUES (?, ?, "
          "?, ?, ?, ?)")
        .bind_all(program, position++, metric.name, metric.unit, name_of(metric.better),
                  metric.help)
        .run();
  }
  position = 0;
  for (const std::string& phase : def.phases) {
    Query(connection, "INSERT INTO program_phase (program, position, name) VALUES (?, ?, ?)")
        .bind_all(program, position++, phase)
        .run();
  }
}

void write_program(Connection& connection, const WorkloadDef& def) {
  Query(connection,
        "INSERT INTO program (name, base, help) VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE SET "
        "help = excluded.help")
      .bind_all(def.name, def.base, def.help)
      .run();
  Query row(connection, "SELECT id FROM program WHERE name = ?");
  row.bind(def.name);
  row.next();
  write_details(connection, row.integer(0), def);
}

// The stored declaration of that name, if any.
Result<std::optional<WorkloadDef>> stored_program(Connection& connection, const std::string& name) {
  auto all = read_programs(connection, "main");
  if (!all) return all.error();
  for (WorkloadDef& def : *all) {
    if (def.name == name) return std::optional(std::move(def));
  }
  return std::optional<WorkloadDef>();
}

}  // namespace

Result<std::vector<WorkloadDef>> read_programs(Connection& connection, const std::string& schema) {
  std::vector<WorkloadDef> programs;
  if (!has_programs(connection, schema)) return programs;
  Query query(connection,
              "SELECT id, name, base, help FROM " + in(schema, "program") + " ORDER BY name");
  while (query.next()) {
    WorkloadDef def;
    def.name = query.text(1);
    def.base = query.text(2);
    def.help = query.text(3);
    const std::int64_t program = query.integer(0);
    if (const auto read = read_params(connection, schema, program, def); !read) {
      return Error{ErrorCode::kFailedPrecondition,
                   fmt::format("program `{}`: {}", def.name, read.error().message)};
    }
    read_metrics(connection, schema, program, def);
    read_phases(connection, schema, program, def);
    programs.push_back(std::move(def));
  }
  return programs;
}

Result<WorkloadDef> store_program(Connection& connection, const Catalog& catalog,
                                  const WorkloadDef& declaration) {
  const auto stored = stored_program(connection, declaration.name);
  if (!stored) return stored.error();
  WorkloadDef whole = declaration;
  if (*stored) {
    MergedProgram merged = merge_programs(**stored, declaration);
    if (!merged.conflicts.empty()) {
      return Error{ErrorCode::kFailedPrecondition, merged.conflicts.front().message};
    }
    whole = std::move(merged.declaration);
  }
  for (ParamDef& param : whole.params) param.always_in_key = true;
  write_program(connection, whole);
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
