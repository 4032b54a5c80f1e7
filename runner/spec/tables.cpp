#include "runner/spec/tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "runner/base/text.h"
#include "runner/spec/values.h"

namespace sweepd::spec {
namespace {

// What every result has beside its parameters (docs/DATABASE.md).
const std::vector<std::string>& result_columns() {
  static const std::vector<std::string> names{"phase", "pass",    "metric",  "step", "repeat",
                                              "rank",  "outcome", "verdict", "host", "device_name"};
  return names;
}

std::vector<std::string> phase_names(const WorkloadDef& def) {
  std::vector<std::string> names{"setup"};
  names.insert(names.end(), def.phases.begin(), def.phases.end());
  names.emplace_back("step");
  return names;
}

bool is_column(const Draft& draft, const std::string& name) {
  const auto& columns = result_columns();
  return draft.def == nullptr || draft.def->index_of(name) ||
         std::find(columns.begin(), columns.end(), name) != columns.end();
}

void report_column(Reporter& report, const Draft& draft, std::string_view what, const Node& node) {
  std::vector<std::string> names = draft.def->param_names();
  names.insert(names.end(), result_columns().begin(), result_columns().end());
  std::string help = help_nearest(node.text, names);
  if (help.empty()) help = "columns of every result are " + join(result_columns(), ", ");
  report.error(node.mark,
               fmt::format("{}: `{}` is neither a parameter of {} nor a column of results", what,
                           shown(node.text), draft.def->name),
               std::move(help));
}

// `rows` or `columns`; `used` holds the names of both.
std::vector<std::string> read_names(Reporter& report, const Draft& draft, std::string_view what,
                                    const Node& list, std::vector<std::string>& used) {
  std::vector<std::string> names;
  const std::string help =
      list.is_scalar() && list.text.size() <= 60 ? fmt::format("write [{}]", list.text) : "";
  if (!expect_list(report, what, "a list of names", list, help)) return names;
  for (const NodePtr& item : list.items) {
    const auto name = read_text(report, what, *item);
    if (!name) continue;
    if (!is_column(draft, *name)) {
      report_column(report, draft, what, *item);
    } else if (std::find(used.begin(), used.end(), *name) != used.end()) {
      report.error(item->mark, fmt::format("{}: `{}` is already a row or column of this table",
                                           what, shown(*name)));
    } else {
      used.push_back(*name);
      names.push_back(*name);
    }
  }
  return names;
}

// Braces pair up, hold a name, and do not nest; `{{` and `}}` are braces themselves.
std::string fault_in_cell(std::string_view cell) {
  for (std::size_t i = 0; i < cell.size(); ++i) {
    if (cell[i] != '{' && cell[i] != '}') continue;
    if (i + 1 < cell.size() && cell[i + 1] == cell[i]) {
      ++i;
      continue;
    }
    if (cell[i] == '}') return "`}` without a `{` before it";
    const std::size_t end = cell.find_first_of("{}", i + 1);
    if (end == std::string_view::npos || cell[end] == '{') return "`{` is not closed";
    const std::string_view name = cell.substr(i + 1, end - i - 1);
    if (name.empty() || name.front() == ':') return "`{}` needs a name, as in `{mean:.1f}`";
    i = end;
  }
  return "";
}

void read_cell(Reporter& report, TableSpec& table, const Node& node) {
  const auto cell = read_text(report, "cell", node);
  if (!cell) return;
  const std::string fault = fault_in_cell(*cell);
  if (fault.empty()) {
    table.cell = *cell;
  } else {
    report.error(node.mark, "cell: " + fault, "write a brace itself as `{{` or `}}`");
  }
}

// The text a filter compares with: canonical for parameters, one of the words for enumerations.
std::optional<std::string> read_filter_value(Reporter& report, const Draft& draft,
                                             const std::string& name, const Node& node) {
  const std::string what = "where: " + name;
  if (draft.def == nullptr) return read_text(report, what, node);
  if (const ParamDef* param = draft.def->find(name)) {
    const auto value = read_value(report, *param, node, "a list holds single values only");
    return value ? std::optional(param->text(*value)) : std::nullopt;
  }
  if (name == "phase") return read_word(report, what, phase_names(*draft.def), node);
  if (name == "pass") return read_word(report, what, {"timing", "memory", "profile"}, node);
  if (name == "verdict") return read_word(report, what, {"valid", "suspect", "invalid"}, node);
  if (name == "outcome") {
    return read_word(report, what,
                     {"done", "oom", "timeout", "crashed", "failed", "cancelled", "skipped"}, node);
  }
  auto text = read_text(report, what, node);
  if (!text || (name != "step" && name != "repeat" && name != "rank")) return text;
  const auto number = parse_value(*text, ValueType::kInteger);
  if (number) return to_text(*number, ValueType::kInteger);
  report.error(node.mark, fmt::format("{}: {}", what, number.error().message));
  return std::nullopt;
}

void read_where(Reporter& report, const Draft& draft, TableSpec& table, const Node& map) {
  if (!expect_map(report, "where", map)) return;
  for (const auto& [key, node] : map.entries) {
    if (!is_column(draft, key->text)) {
      report_column(report, draft, "where", *key);
      continue;
    }
    TableSpec::Filter filter{key->text, {}};
    if (node->is_list() && node->items.empty()) {
      report.error(node->mark, fmt::format("where: `{}` has no values", shown(key->text)));
    }
    const std::vector<NodePtr> items = node->is_list() ? node->items : std::vector{node};
    for (const NodePtr& item : items) {
      auto value = read_filter_value(report, draft, key->text, *item);
      if (value) filter.values.push_back(std::move(*value));
    }
    table.where.push_back(std::move(filter));
  }
}

void read_table(Reporter& report, Draft& draft, const Node& node) {
  if (!expect_map(report, "tables", node)) return;
  TableSpec table;
  std::vector<std::string> used;
  const auto text = [&](const char* name, std::string& member) {
    return Field{name, [&report, name, &member](const Node&, const Node& value) {
                   if (auto read = read_text(report, name, value)) member = std::move(*read);
                 }};
  };
  read_fields(report, "a table", node,
              {text("title", table.title),
               {"rows",
                [&](const Node&, const Node& value) {
                  table.rows = read_names(report, draft, "rows", value, used);
                }},
               {"columns",
                [&](const Node&, const Node& value) {
                  table.columns = read_names(report, draft, "columns", value, used);
                }},
               {"cell", [&](const Node&, const Node& v) { read_cell(report, table, v); }},
               text("metric", table.metric),
               text("unit", table.unit),
               {"where", [&](const Node&, const Node& v) { read_where(report, draft, table, v); }},
               {"warmup", [&](const Node&, const Node& value) {
                  if (const auto on = read_boolean(report, "warmup", value)) table.warmup = *on;
                }}});
  const auto given = [&](std::string_view name) {
    return std::any_of(node.entries.begin(), node.entries.end(),
                       [&](const Node::Entry& entry) { return entry.key->text == name; });
  };
  if (!given("rows") && !given("columns")) {
    report.error(node.mark, "a table needs `rows` or `columns`");
  }
  draft.sweep.tables.push_back(std::move(table));
}

}  // namespace

void read_tables(Reporter& report, Draft& draft, const Node& section) {
  const std::string help = section.is_map() ? "begin each table with `- `" : "";
  if (!expect_list(report, "tables", "a list of tables", section, help)) return;
  for (const NodePtr& table : section.items) read_table(report, draft, *table);
}

}  // namespace sweepd::spec
