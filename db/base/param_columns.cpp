#include "db/base/param_columns.h"

#include <fmt/format.h>

#include <variant>

#include "runner/base/text.h"
#include "runner/base/units.h"

namespace sweepd {

bool is_per_sweep(const ParamDef& param) {
  return param.role == ParamRole::kPlace ||
         (param.run_param &&
          (param.name == "priority" || param.name == "timeout" || param.name == "repeats"));
}

std::string params_table(std::string_view workload) {
  return "params_" + std::string(workload);
}

std::string_view sql_type(ValueType type) {
  switch (type) {
    case ValueType::kInteger:
    case ValueType::kBoolean:
    case ValueType::kBytes:
    case ValueType::kDuration:
      return "INTEGER";
    case ValueType::kReal:
      return "REAL";
    case ValueType::kText:
    case ValueType::kChoice:
      return "TEXT";
  }
  return "TEXT";
}

std::string sql_literal(const Value& value) {
  if (const auto* i = std::get_if<std::int64_t>(&value)) return std::to_string(*i);
  if (const auto* d = std::get_if<double>(&value)) return to_text(*d);
  if (const auto* b = std::get_if<bool>(&value)) return *b ? "1" : "0";
  std::string out = "'";
  for (const char c : std::get<std::string>(value)) {
    if (c == '\'') out += '\'';
    out += c;
  }
  return out + "'";
}

void bind_value(Query& query, const Value& value) {
  if (const auto* i = std::get_if<std::int64_t>(&value)) {
    query.bind(*i);
  } else if (const auto* d = std::get_if<double>(&value)) {
    query.bind(*d);
  } else if (const auto* b = std::get_if<bool>(&value)) {
    query.bind(*b ? 1 : 0);
  } else {
    query.bind(std::get<std::string>(value));
  }
}

Value read_value(const Query& query, int column, ValueType type) {
  switch (type) {
    case ValueType::kInteger:
    case ValueType::kBytes:
    case ValueType::kDuration:
      return query.integer(column);
    case ValueType::kBoolean:
      return query.integer(column) != 0;
    case ValueType::kReal:
      return query.real(column);
    case ValueType::kText:
    case ValueType::kChoice:
      return query.text(column);
  }
  return std::int64_t{0};
}

std::vector<std::size_t> stored_params(const WorkloadDef& def) {
  std::vector<std::size_t> stored;
  for (std::size_t i = 0; i < def.params.size(); ++i) {
    if (!is_per_sweep(def.params[i])) stored.push_back(i);
  }
  return stored;
}

ParamTable::ParamTable(Connection& connection, const WorkloadDef& def)
    : connection_(connection), def_(def), stored_(stored_params(def)) {
  std::vector<std::string> columns;
  std::string marks;
  for (const std::size_t i : stored_) {
    columns.push_back(sql_name(def.params[i].name));
    marks += ", ?";
  }
  const std::string list = join(columns, ", ");
  const std::string table = sql_name(params_table(def.name));
  insert_sql_ = fmt::format("INSERT INTO {} (trial{}{}) VALUES (?{})", table,
                            columns.empty() ? "" : ", ", list, marks);
  select_sql_ =
      fmt::format("SELECT {} FROM {} WHERE trial = ?", columns.empty() ? "1" : list, table);
}

void ParamTable::insert(std::int64_t trial_id, const Trial& trial) {
  Query query(connection_, insert_sql_);
  query.bind(trial_id);
  for (const std::size_t i : stored_) bind_value(query, trial.values[i]);
  query.run();
}

std::optional<Trial> ParamTable::read(std::int64_t trial_id) {
  Query query(connection_, select_sql_);
  query.bind(trial_id);
  if (!query.next()) return std::nullopt;
  Trial trial = default_trial(def_);
  int column = 0;
  for (const std::size_t i : stored_) {
    trial.values[i] = read_value(query, column++, def_.params[i].type);
  }
  return trial;
}

}  // namespace sweepd
