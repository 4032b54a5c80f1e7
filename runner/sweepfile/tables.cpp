#include "runner/sweepfile/tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "runner/sweepfile/table_parts.h"
#include "runner/sweepfile/values.h"

namespace sweepd::spec {
namespace {

bool has_key(const Node& map, std::string_view name) {
  return value_in(map, name) != nullptr;
}

// A value inherits from the table what it leaves out. A mistake in that is therefore at the table's
// key.
const Mark& place_of(const Node& table, const TableMistake& mistake) {
  const Node* values = mistake.value ? value_in(table, "values") : nullptr;
  if (values != nullptr && *mistake.value < values->items.size()) {
    const Node* own = value_in(*values->items[*mistake.value], mistake.key);
    if (own != nullptr) return own->mark;
  }
  const Node* key = value_in(table, mistake.key);
  return key != nullptr ? key->mark : table.mark;
}

class TableReader {
 public:
  TableReader(Reporter& report, const Draft& draft) : report_(report), draft_(draft) {}

  TableSpec read(const Node& node) {
    TableSpec table;
    std::vector<std::string> used;
    const auto names = [&](const char* what, std::vector<std::string>& member) {
      return Field{what, [&, what](const Node&, const Node& value) {
                     member = read_names(report_, draft_, what, value, used, table.headings);
                   }};
    };
    read_fields(
        report_, "a table", node,
        {text("title", table.title),
         names("rows", table.rows),
         names("columns", table.columns),
         cell(table.cell),
         text("metric", table.metric),
         text("unit", table.unit),
         where(table.where),
         warmup(table.warmup),
         bold(table.bold),
         {"values", [&](const Node&, const Node& v) { read_values(table, v); }},
         {"baseline",
          [&](const Node&, const Node& v) { read_baseline(report_, draft_, table.baseline, v); }},
         {"pool", [&](const Node&, const Node& v) { read_pool(report_, draft_, table.pool, v); }},
         {"sort", [&](const Node&, const Node& v) { read_sort(table, v); }},
         {"limit", [&](const Node&, const Node& v) { read_limit(table, v); }}});
    if (!has_key(node, "rows") && !has_key(node, "columns")) {
      report_.error(node.mark, "a table needs `rows` or `columns`");
    }
    check_bold(node, has_key(node, "baseline"));
    return table;
  }

 private:
  Field text(const char* name, std::string& member) {
    return {name, [this, name, &member](const Node&, const Node& value) {
              if (auto read = read_text(report_, name, value)) member = std::move(*read);
            }};
  }
  Field cell(std::string& member) {
    return {"cell", [&](const Node&, const Node& v) { read_cell(report_, member, v); }};
  }
  Field where(std::vector<TableSpec::Filter>& member) {
    return {"where", [&](const Node&, const Node& v) { read_where(report_, draft_, member, v); }};
  }
  template <class Flag>  // bool, or optional<bool>
  Field warmup(Flag& member) {
    return {"warmup", [&](const Node&, const Node& value) {
              if (const auto on = read_boolean(report_, "warmup", value)) member = *on;
            }};
  }
  template <class Rule>  // Bold, or optional<Bold>
  Field bold(Rule& member) {
    return {"bold", [&](const Node&, const Node& value) {
              const auto word = read_word(report_, "bold", bold_names(), value);
              if (word) member = *bold_from(*word);
            }};
  }

  // runner/report/sort_key.h checks that a table has a key to sort by.
  void read_sort(TableSpec& table, const Node& list) {
    const std::string help = list.is_scalar() ? fmt::format("write [{}]", list.text) : "";
    if (!expect_list(report_, "sort", "a list of names", list, help)) return;
    for (const NodePtr& item : list.items) {
      if (auto name = read_text(report_, "sort", *item)) table.sort.push_back(std::move(*name));
    }
  }
  void read_limit(TableSpec& table, const Node& node) {
    const auto text = read_text(report_, "limit", node);
    if (!text) return;
    const auto number = parse_value(*text, ValueType::kInteger);
    const auto* rows = number ? std::get_if<std::int64_t>(&*number) : nullptr;
    if (rows != nullptr && *rows >= 0) {
      table.limit = *rows;
    } else {
      report_.error(node.mark, fmt::format("limit: `{}` is not a number of rows", *text),
                    "0 or no limit at all shows every row");
    }
  }

  void read_values(TableSpec& table, const Node& list) {
    const std::string help = list.is_map() ? "begin each value with `- `" : "";
    if (!expect_list(report_, "values", "a list of values", list, help)) return;
    if (list.items.empty()) report_.error(list.mark, "values: the list is empty");
    for (const NodePtr& item : list.items) {
      if (!expect_map(report_, "values", *item)) continue;
      TableSpec::Value value;
      read_fields(
          report_, "a value", *item,
          {text("name", value.name), cell(value.cell), text("metric", value.metric),
           text("unit", value.unit), where(value.where), warmup(value.warmup), bold(value.bold)});
      values_.push_back(item);
      table.values.push_back(std::move(value));
    }
  }

  // Some rules mark how a cell compares, so the table must have a baseline.
  void check_bold(const Node& node, bool has_baseline) {
    if (has_baseline) return;
    const auto check = [&](const Node& holder) {
      for (const auto& [key, value] : holder.entries) {
        const auto rule = bold_from(value->text);
        if (key->text == "bold" && !(rule && scope_of(*rule) != BoldScope::kBaseline)) {
          report_.error(key->mark, "bold: the table has no `baseline` to compare with",
                        "add for example `baseline: {precision: fp32}` to the table");
        }
      }
    };
    check(node);
    for (const NodePtr& holder : values_) check(*holder);
  }

  Reporter& report_;
  const Draft& draft_;
  std::vector<NodePtr> values_;
};

}  // namespace

void read_tables(Reporter& report, Draft& draft, const Node& section) {
  const std::string help = section.is_map() ? "begin each table with `- `" : "";
  if (!expect_list(report, "tables", "a list of tables", section, help)) return;
  for (const NodePtr& table : section.items) {
    if (!expect_map(report, "tables", *table)) continue;
    const std::size_t before = report.count();
    draft.sweep.tables.push_back(TableReader(report, draft).read(*table));
    draft.table_sources.push_back({table, report.count() == before});
  }
}

void check_tables(Reporter& report, const Draft& draft, const TableCheck& check) {
  if (!check || draft.def == nullptr) return;
  for (std::size_t i = 0; i < draft.table_sources.size(); ++i) {
    const TableSource& source = draft.table_sources[i];
    if (!source.sound) continue;
    for (const TableMistake& mistake : check(draft.sweep.tables[i], draft.sweep, *draft.def)) {
      report.error(place_of(*source.node, mistake), mistake.message);
    }
  }
}

}  // namespace sweepd::spec
