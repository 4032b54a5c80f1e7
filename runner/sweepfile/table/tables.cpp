#include <fmt/format.h>

#include <algorithm>

#include "runner/base/text.h"
#include "runner/sweepfile/table/table_parts.h"
#include "runner/sweepfile/yaml/sections.h"
#include "runner/sweepfile/yaml/values.h"

namespace sweepd::sweepfile {
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
  TableReader(Reporter& report, Draft& draft) : report_(report), draft_(draft) {}

  TableSpec read(const Node& node) {
    TableSpec table;
    std::vector<std::string> used;
    const Node* rest = nullptr;  // names a value, wherever those are in the file
    // What the table draws on decides what it may name.
    draft_.from.clear();
    if (const Node* from = value_in(node, "from")) read_from(*from);
    const auto names = [&](const char* what, std::vector<std::string>& member) {
      return Field{what, [&, what](const Node&, const Node& value) {
                     member = read_names(report_, draft_, what, value, used, table.headings);
                   }};
    };
    read_fields(
        report_, "a table", node,
        {text("title", table.title),
         {"from", [](const Node&, const Node&) {}},
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
         {"limit", [&](const Node&, const Node& v) { read_limit(table, v); }},
         {"rest", [&](const Node&, const Node& v) { rest = &v; }}});
    if (rest != nullptr) read_rest(table, *rest);
    if (!has_key(node, "rows") && !has_key(node, "columns")) {
      report_.error(node.mark, "a table needs `rows` or `columns`");
    }
    check_bold(node, has_key(node, "baseline"));
    check_sweeps(node, table);
    draft_.from.clear();
    return table;
  }
  const std::vector<std::string>& from() const { return from_; }

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

  // A name that is neither a sweep of this file nor a workload is a sweep that the database has, or
  // will have. Its workload is not known here, so names of any workload are accepted.
  void read_from(const Node& list) {
    const std::string help = list.is_scalar() ? fmt::format("write [{}]", list.text) : "";
    if (!expect_list(report_, "from", "a list of sweeps or workloads", list, help)) return;
    if (list.items.empty()) report_.error(list.mark, "from: the list is empty");
    for (const NodePtr& item : list.items) {
      const auto name = read_text(report_, "from", *item);
      if (!name) continue;
      if (std::find(from_.begin(), from_.end(), *name) != from_.end()) {
        report_.error(item->mark, fmt::format("from: `{}` is listed twice", shown(*name)));
        continue;
      }
      from_.push_back(*name);
      const auto here = draft_.in_file.find(*name);
      const WorkloadDef* def =
          draft_.catalog->find(here == draft_.in_file.end() ? *name : here->second);
      const bool own = *name == draft_.sweep.name && draft_.def != nullptr;
      if (own || def != nullptr) {
        draft_.from.push_back(own ? draft_.def : def);
      } else {
        for (const std::string& any : draft_.catalog->names()) {
          draft_.from.push_back(draft_.catalog->find(any));
        }
      }
    }
    if (draft_.from.empty() && draft_.def != nullptr) draft_.from.push_back(draft_.def);
  }

  // Stored as the table's filter by sweep, which the values may narrow.
  void check_sweeps(const Node& node, TableSpec& table) {
    if (from_.empty()) return;
    const auto check = [&](const std::vector<TableSpec::Filter>& where, const Node& holder) {
      for (const TableSpec::Filter& filter : where) {
        for (const std::string& name : filter.values) {
          const bool listed = std::find(from_.begin(), from_.end(), name) != from_.end();
          if (filter.name != "sweep" || listed) continue;
          report_.error(holder.mark, fmt::format("where: sweep `{}` is not one of `from`: {}",
                                                 shown(name), join(from_, ", ")));
        }
      }
    };
    check(table.where, node);
    for (std::size_t i = 0; i < table.values.size() && i < values_.size(); ++i) {
      check(table.values[i].where, *values_[i]);
    }
    const bool narrowed = std::any_of(table.where.begin(), table.where.end(),
                                      [](const auto& filter) { return filter.name == "sweep"; });
    if (narrowed) {
      report_.error(node.mark, "where: `from` already names the sweeps of the table",
                    "a value may have `where: {sweep: ...}`");
    } else {
      table.where.insert(table.where.begin(), {"sweep", from_});
    }
  }

  // runner/report/table/row_order.h checks that a table has a key to sort by.
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

  // `rest: {Share: 0.001}`
  void read_rest(TableSpec& table, const Node& map) {
    if (!expect_map(report_, "rest", map, "write {Share: 0.001}")) return;
    if (map.entries.size() != 1) {
      report_.error(map.mark, "rest: expected the name of one value and a number");
      return;
    }
    const auto& [name, node] = map.entries.front();
    std::vector<std::string> names;
    for (const TableSpec::Value& value : table.values) names.push_back(value.name);
    if (std::find(names.begin(), names.end(), name->text) == names.end()) {
      report_.error(name->mark, fmt::format("rest: the table has no value `{}`", shown(name->text)),
                    help_nearest(name->text, names));
    }
    const auto text = read_text(report_, "rest", *node);
    if (!text) return;
    const auto number = parse_value(*text, ValueType::kReal);
    const auto* below = number ? std::get_if<double>(&*number) : nullptr;
    if (below == nullptr) {
      report_.error(node->mark, fmt::format("rest: `{}` is not a number", shown(*text)));
      return;
    }
    table.rest = TableSpec::Rest{name->text, *below};
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
  Draft& draft_;
  std::vector<NodePtr> values_;
  std::vector<std::string> from_;
};

}  // namespace

void read_tables(Reporter& report, Draft& draft, const Node& section) {
  const std::string help = section.is_map() ? "begin each table with `- `" : "";
  if (!expect_list(report, "tables", "a list of tables", section, help)) return;
  for (const NodePtr& table : section.items) {
    if (!expect_map(report, "tables", *table)) continue;
    const std::size_t before = report.count();
    TableReader reader(report, draft);
    draft.sweep.tables.push_back(reader.read(*table));
    draft.table_sources.push_back({table, reader.from(), report.count() == before});
  }
  draft.from.clear();  // plots draw on their own sweep
}

namespace {

// What a table of several sources may name: the parameters of all of them. Which passes the other
// sweeps have is not known here.
void join_sources(const Draft& draft, const TableSource& source, Sweep& sweep, WorkloadDef& def) {
  sweep.name = draft.sweep.name;
  sweep.passes = {Pass::kTiming, Pass::kMemory, Pass::kProfile};
  def = *draft.def;
  for (const std::string& name : source.from) {
    const auto here = draft.in_file.find(name);
    const WorkloadDef* one = draft.catalog->find(here == draft.in_file.end() ? name : here->second);
    const std::vector<std::string> all =
        one != nullptr ? std::vector{one->name} : draft.catalog->names();
    for (const std::string& workload : all) {
      for (const ParamDef& param : draft.catalog->find(workload)->params) {
        if (!def.index_of(param.name)) def.params.push_back(param);
      }
    }
  }
}

}  // namespace

void check_tables(Reporter& report, const Draft& draft, const TableCheck& check) {
  if (!check || draft.def == nullptr) return;
  for (std::size_t i = 0; i < draft.table_sources.size(); ++i) {
    const TableSource& source = draft.table_sources[i];
    if (!source.sound) continue;
    Sweep sweep;
    WorkloadDef def;
    if (!source.from.empty()) join_sources(draft, source, sweep, def);
    const auto mistakes = source.from.empty()
                              ? check(draft.sweep.tables[i], draft.sweep, *draft.def)
                              : check(draft.sweep.tables[i], sweep, def);
    for (const TableMistake& mistake : mistakes) {
      report.error(place_of(*source.node, mistake), mistake.message);
    }
  }
}

}  // namespace sweepd::sweepfile
