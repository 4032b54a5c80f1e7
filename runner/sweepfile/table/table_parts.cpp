#include "runner/sweepfile/table/table_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "runner/base/text.h"
#include "runner/model/attempt/verdict.h"
#include "runner/model/sweep/trial.h"
#include "runner/model/vocabulary/outcome.h"
#include "runner/model/vocabulary/result_column.h"
#include "runner/sweepfile/yaml/values.h"

namespace sweepd::sweepfile {
namespace {

// The columns that a table of a sweep file may name. `from` names its sweeps; only references have
// a `source`.
const std::vector<std::string>& table_columns() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all = result_column_names();
    std::erase(all, name_of(ResultColumn::kSweep));
    all.emplace_back("source");
    return all;
  }();
  return names;
}

std::vector<std::string> phase_names(const WorkloadDef& def) {
  std::vector<std::string> names{"setup"};
  names.insert(names.end(), def.phases.begin(), def.phases.end());
  names.emplace_back("step");
  return names;
}

// The workloads whose parameters the table being read may name.
std::vector<const WorkloadDef*> workloads_of(const Draft& draft) {
  return draft.from.empty() ? std::vector{draft.def} : draft.from;
}

// The parameter of this name; of several workloads' the first that accepts the text, else the
// first.
const ParamDef* find_param(const Draft& draft, const std::string& name, const std::string& text) {
  const ParamDef* first = nullptr;
  for (const WorkloadDef* def : workloads_of(draft)) {
    const ParamDef* param = def->find(name);
    if (param != nullptr && param->parse(text)) return param;
    if (first == nullptr) first = param;
  }
  return first;
}

bool is_column(const Draft& draft, const std::string& name) {
  const auto workloads = workloads_of(draft);
  return draft.def == nullptr || is_result_column(name) ||
         (name == "sweep" && !draft.from.empty()) ||
         std::any_of(workloads.begin(), workloads.end(),
                     [&](const WorkloadDef* def) { return def->index_of(name).has_value(); });
}

void report_column(Reporter& report, const Draft& draft, std::string_view what, const Node& node) {
  std::vector<std::string> names = draft.def->param_names();
  names.insert(names.end(), table_columns().begin(), table_columns().end());
  std::string help = help_nearest(node.text, names);
  if (help.empty()) help = "columns of every result are " + join(table_columns(), ", ");
  report.error(node.mark,
               fmt::format("{}: `{}` is neither a parameter of {} nor a column of results", what,
                           shown(node.text), draft.def->name),
               help);
}

}  // namespace

bool check_column(Reporter& report, const Draft& draft, std::string_view what, const Node& name) {
  if (is_column(draft, name.text)) return true;
  report_column(report, draft, what, name);
  return false;
}

namespace {

// Accepts a name that this table may have, once. Reports any other.
bool accept_name(Reporter& report, const Draft& draft, std::string_view what, const Node& node,
                 std::vector<std::string>& used) {
  if (!check_column(report, draft, what, node)) return false;
  if (std::find(used.begin(), used.end(), node.text) != used.end()) {
    report.error(node.mark, fmt::format("{}: `{}` is already a row or column of this table", what,
                                        shown(node.text)));
    return false;
  }
  used.push_back(node.text);
  return true;
}

// Returns the text that a filter compares with: canonical for parameters, one of the words for
// enumerations.
std::optional<std::string> read_filter_value(Reporter& report, const Draft& draft,
                                             std::string_view section, const std::string& name,
                                             const Node& node) {
  const std::string what = fmt::format("{}: {}", section, name);
  if (draft.def == nullptr) return read_text(report, what, node);
  if (const ParamDef* param = find_param(draft, name, node.text)) {
    const auto value = read_value(report, *param, node, "a list holds single values only");
    return value ? std::optional(param->text(*value)) : std::nullopt;
  }
  if (name == "phase") {
    std::vector<std::string> phases;
    for (const WorkloadDef* def : workloads_of(draft)) {
      for (const std::string& phase : phase_names(*def)) {
        if (std::find(phases.begin(), phases.end(), phase) == phases.end()) phases.push_back(phase);
      }
    }
    return read_word(report, what, phases, node);
  }
  if (name == "pass") return read_word(report, what, pass_words(), node);
  if (name == "verdict") return read_word(report, what, verdict_words(), node);
  if (name == "outcome") return read_word(report, what, outcome_words(), node);
  auto text = read_text(report, what, node);
  if (!text || (name != "step" && name != "repeat" && name != "rank")) return text;
  const auto number = parse_value(*text, ValueType::kInteger);
  if (number) return to_text(*number, ValueType::kInteger);
  report.error(node.mark, fmt::format("{}: {}", what, number.error().message));
  return std::nullopt;
}

}  // namespace

bool is_result_column(const std::string& name) {
  const auto& columns = table_columns();
  return std::find(columns.begin(), columns.end(), name) != columns.end();
}

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

std::vector<std::string> read_names(Reporter& report, const Draft& draft, std::string_view what,
                                    const Node& list, std::vector<std::string>& used,
                                    std::vector<TableSpec::Heading>& headings) {
  std::vector<std::string> names;
  const std::string help =
      list.is_scalar() && list.text.size() <= 60 ? fmt::format("write [{}]", list.text) : "";
  if (!expect_list(report, what, "a list of names", list, help)) return names;
  for (const NodePtr& item : list.items) {
    const bool headed = item->is_map() && item->entries.size() == 1;
    if (!headed && !item->is_scalar()) {
      report_kind(report, what, "a name, or one `name: heading`", *item);
      continue;
    }
    const Node& name = headed ? *item->entries.front().key : *item;
    if (!accept_name(report, draft, what, name, used)) continue;
    names.push_back(name.text);
    if (!headed) continue;
    const auto heading = read_text(report, "heading", *item->entries.front().value);
    if (heading) headings.push_back({name.text, *heading});
  }
  return names;
}

void read_pool(Reporter& report, const Draft& draft, std::vector<std::string>& pool,
               const Node& list) {
  const std::string help =
      list.is_scalar() && list.text.size() <= 60 ? fmt::format("write [{}]", list.text) : "";
  if (!expect_list(report, "pool", "a list of parameters", list, help)) return;
  for (const NodePtr& item : list.items) {
    const auto name = read_text(report, "pool", *item);
    if (!name) continue;
    if (draft.def == nullptr || *name == "repeat" || draft.def->index_of(*name)) {
      pool.push_back(*name);
      continue;
    }
    report.error(item->mark,
                 fmt::format("pool: `{}` is not a parameter of {}", shown(*name), draft.def->name),
                 help_nearest(*name, draft.def->param_names()));
  }
}

void read_cell(Reporter& report, std::string& cell, const Node& node) {
  const auto text = read_text(report, "cell", node);
  if (!text) return;
  const std::string fault = fault_in_cell(*text);
  if (fault.empty()) {
    cell = *text;
  } else {
    report.error(node.mark, "cell: " + fault, "write a brace itself as `{{` or `}}`");
  }
}

void read_where(Reporter& report, const Draft& draft, std::vector<TableSpec::Filter>& where,
                const Node& map) {
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
      auto value = read_filter_value(report, draft, "where", key->text, *item);
      if (value) filter.values.push_back(std::move(*value));
    }
    where.push_back(std::move(filter));
  }
}

void read_baseline(Reporter& report, const Draft& draft, std::vector<TableSpec::Filter>& baseline,
                   const Node& map) {
  if (!expect_map(report, "baseline", map, "write {precision: fp32}")) return;
  for (const auto& [key, node] : map.entries) {
    if (!is_column(draft, key->text)) {
      report_column(report, draft, "baseline", *key);
    } else if (!node->is_scalar()) {
      report_kind(report, "baseline: " + shown(key->text), "one value", *node);
    } else if (auto value = read_filter_value(report, draft, "baseline", key->text, *node)) {
      baseline.push_back({key->text, {std::move(*value)}});
    }
  }
}

}  // namespace sweepd::sweepfile
