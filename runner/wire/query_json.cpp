#include "runner/wire/query_json.h"

#include "runner/wire/params.h"

namespace sweepd {

namespace {

// A name that is given twice collects all its values, because an object cannot repeat a member.
nlohmann::json to_json(const std::vector<TableSpec::Filter>& filters) {
  nlohmann::json where = nlohmann::json::object();
  for (const auto& filter : filters) {
    nlohmann::json& values = where.emplace(filter.name, nlohmann::json::array()).first.value();
    for (const std::string& value : filter.values) values.push_back(value);
  }
  return where;
}

nlohmann::json to_json(const TableSpec::Value& value) {
  nlohmann::json entry = {{"name", value.name},
                          {"cell", value.cell},
                          {"metric", value.metric},
                          {"unit", value.unit},
                          {"where", to_json(value.where)}};
  if (value.warmup) entry["warmup"] = *value.warmup;
  if (value.bold) entry["bold"] = name_of(*value.bold);
  return entry;
}

// Reads an object of name: text, in the order of its names.
Result<std::vector<TableSpec::Heading>> pairs_from(const nlohmann::json& value, const char* what) {
  std::vector<TableSpec::Heading> pairs;
  if (value.is_null()) return pairs;
  if (!value.is_object()) {
    return Error{ErrorCode::kInvalidArgument,
                 "`" + std::string(what) + "` must be an object of name: \"text\""};
  }
  ParamsReader params(value);
  for (const auto& [name, text] : value.items()) pairs.push_back({name, params.text(name)});
  if (const auto finished = params.finish(); !finished) return finished.error();
  return pairs;
}

Result<std::vector<TableSpec::Filter>> filters_from(const nlohmann::json& value) {
  std::vector<TableSpec::Filter> filters;
  if (value.is_null()) return filters;
  if (!value.is_object()) {
    return Error{ErrorCode::kInvalidArgument, "`where` must be an object of name: [values]"};
  }
  ParamsReader params(value);
  for (const auto& [name, values] : value.items()) filters.push_back({name, params.texts(name)});
  if (const auto finished = params.finish(); !finished) return finished.error();
  return filters;
}

// Reads the members that a table and its values share.
template <class Spec>
Result<void> read_common(ParamsReader& params, Spec& spec) {
  spec.cell = params.text_or("cell", "");
  spec.metric = params.text_or("metric", "");
  spec.unit = params.text_or("unit", "");
  if (!params.member("bold").is_null()) {
    const auto bold = bold_from(params.text_or("bold", "none"));
    if (!bold) return bold.error();
    spec.bold = *bold;
  }
  auto where = filters_from(params.member("where"));
  if (!where) return where.error();
  spec.where = std::move(*where);
  return {};
}

Result<TableSpec::Value> value_from(const nlohmann::json& json_value) {
  ParamsReader params(json_value);
  TableSpec::Value value;
  value.name = params.text_or("name", "");
  if (!params.member("warmup").is_null()) value.warmup = params.boolean_or("warmup", false);
  if (const auto read = read_common(params, value); !read) return read.error();
  if (const auto finished = params.finish(); !finished) return finished.error();
  return value;
}

Result<void> read_values(ParamsReader& params, TableSpec& table) {
  const nlohmann::json& values = params.member("values");
  if (values.is_null()) return {};
  if (!values.is_array()) {
    return Error{ErrorCode::kInvalidArgument, "`values` must be a list of objects"};
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    auto value = value_from(values[i]);
    if (!value) {
      return Error{value.error().code,
                   "values, entry " + std::to_string(i + 1) + ": " + value.error().message};
    }
    table.values.push_back(std::move(*value));
  }
  return {};
}

Result<void> read_table(ParamsReader& params, TableSpec& table) {
  table.title = params.text_or("title", "");
  table.rows = params.texts("rows");
  table.columns = params.texts("columns");
  table.warmup = params.boolean_or("warmup", false);
  if (const auto read = read_common(params, table); !read) return read.error();
  auto headings = pairs_from(params.member("headings"), "headings");
  if (!headings) return headings.error();
  table.headings = std::move(*headings);
  const auto baseline = pairs_from(params.member("baseline"), "baseline");
  if (!baseline) return baseline.error();
  for (const auto& [name, value] : *baseline) table.baseline.push_back({name, {value}});
  table.pool = params.texts("pool");
  return read_values(params, table);
}

}  // namespace

nlohmann::json to_json(const QuerySpec& query) {
  const TableSpec& table = query.table;
  nlohmann::json headings = nlohmann::json::object(), baseline = nlohmann::json::object(),
                 values = nlohmann::json::array();
  for (const auto& [name, text] : table.headings) headings[name] = text;
  for (const auto& filter : table.baseline) baseline[filter.name] = filter.values.front();
  for (const TableSpec::Value& value : table.values) values.push_back(to_json(value));
  nlohmann::json json = {{"workload", query.workload},
                         {"sweep", query.sweep},
                         {"title", table.title},
                         {"rows", table.rows},
                         {"columns", table.columns},
                         {"cell", table.cell},
                         {"metric", table.metric},
                         {"unit", table.unit},
                         {"where", to_json(table.where)},
                         {"warmup", table.warmup},
                         {"bold", name_of(table.bold)},
                         {"headings", headings},
                         {"values", values},
                         {"baseline", baseline},
                         {"pool", table.pool},
                         {"sort", query.table.sort},
                         {"limit", query.table.limit},
                         {"only_varying", query.only_varying},
                         {"with", query.with}};
  // An older daemon refuses members that it does not know.
  if (query.newest) json["newest"] = true;
  return json;
}

Result<QuerySpec> query_from_json(const nlohmann::json& value) {
  ParamsReader params(value);
  QuerySpec query;
  query.workload = params.text_or("workload", "");
  query.sweep = params.text_or("sweep", "");
  query.newest = params.boolean_or("newest", false);
  query.table.sort = params.texts("sort");
  query.table.limit = params.integer_or("limit", 0, 0);
  query.only_varying = params.boolean_or("only_varying", false);
  query.with = params.texts("with");
  if (const auto read = read_table(params, query.table); !read) return read.error();
  if (const auto finished = params.finish(); !finished) return finished.error();
  return query;
}

}  // namespace sweepd
