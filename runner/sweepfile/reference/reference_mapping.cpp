#include "runner/sweepfile/reference/reference_mapping.h"

#include <fmt/format.h>

#include <algorithm>

#include "runner/base/text.h"
#include "runner/base/units.h"
#include "runner/sweepfile/yaml/values.h"

namespace sweepd::sweepfile {
namespace {

class MappingReader {
 public:
  MappingReader(Reporter& report, const std::vector<std::string>& columns)
      : report_(report), columns_(columns) {}

  ReferenceMapping read(const Node& root) {
    ReferenceMapping mapping;
    if (!expect_map(report_, "a mapping", root)) return mapping;
    read_fields(report_, "a mapping", root,
                {text("reference", mapping.name),
                 text("description", mapping.description),
                 {"columns", [&](const Node&, const Node& v) { read_columns(mapping, v); }},
                 {"rules", [&](const Node&, const Node& v) { read_rules(mapping, v); }}});
    if (mapping.name.empty()) {
      report_.error(root.mark, "`reference` is missing", "give it a name: `reference: ...`");
    }
    return mapping;
  }

 private:
  Field text(const char* name, std::string& member) {
    return {name, [this, name, &member](const Node&, const Node& value) {
              if (auto read = read_text(report_, name, value)) member = std::move(*read);
            }};
  }

  bool is_column(const Node& node, const std::string& name, const char* what) {
    if (std::find(columns_.begin(), columns_.end(), name) != columns_.end()) return true;
    std::string help = help_nearest(name, columns_);
    if (help.empty()) help = "it has " + join(columns_, ", ");
    report_.error(node.mark, fmt::format("{}: the file has no column `{}`", what, shown(name)),
                  help);
    return false;
  }

  void read_columns(ReferenceMapping& mapping, const Node& map) {
    if (!expect_map(report_, "columns", map)) return;
    for (const auto& [key, value] : map.entries) {
      const auto column = read_text(report_, "columns: " + key->text, *value);
      if (column && is_column(*value, *column, "columns")) mapping.columns[key->text] = *column;
    }
  }

  void read_rules(ReferenceMapping& mapping, const Node& list) {
    if (!expect_list(report_, "rules", "a list of rules", list)) return;
    for (const NodePtr& item : list.items) {
      if (!expect_map(report_, "rules", *item, "write `- when: {...}`")) continue;
      ReferenceRule rule;
      rule.mark = item->mark;
      read_fields(report_, "a rule", *item,
                  {{"when", [&](const Node&, const Node& v) { read_when(rule, v); }},
                   {"set", [&](const Node&, const Node& v) { read_set(rule, v); }},
                   {"copy", [&](const Node&, const Node& v) { read_copy(rule, v); }},
                   {"divide", [&](const Node&, const Node& v) { read_divide(rule, v); }},
                   text("doubt", rule.doubt),
                   text("remark", rule.remark),
                   {"invalid", [&](const Node&, const Node& v) {
                      if (const auto on = read_boolean(report_, "invalid", v)) rule.invalid = *on;
                    }}});
      if (rule.invalid && rule.doubt.empty()) {
        report_.error(item->mark, "invalid: give the reason under `doubt`");
      }
      mapping.rules.push_back(std::move(rule));
    }
  }

  void read_when(ReferenceRule& rule, const Node& map) {
    if (!expect_map(report_, "when", map)) return;
    for (const auto& [key, value] : map.entries) {
      if (!is_column(*key, key->text, "when")) continue;
      const std::vector<NodePtr> items = value->is_list() ? value->items : std::vector{value};
      std::vector<std::string> patterns;
      for (const NodePtr& item : items) {
        if (auto pattern = read_text(report_, "when: " + key->text, *item)) {
          patterns.push_back(std::move(*pattern));
        }
      }
      rule.when.emplace_back(key->text, std::move(patterns));
    }
  }

  void read_set(ReferenceRule& rule, const Node& map) {
    if (!expect_map(report_, "set", map)) return;
    for (const auto& [key, value] : map.entries) {
      if (auto text = read_text(report_, "set: " + key->text, *value)) {
        rule.set.emplace_back(key->text, std::move(*text));
      }
    }
  }

  void read_copy(ReferenceRule& rule, const Node& map) {
    if (!expect_map(report_, "copy", map)) return;
    for (const auto& [key, value] : map.entries) {
      auto column = read_text(report_, "copy: " + key->text, *value);
      if (column && is_column(*value, *column, "copy")) {
        rule.copy.emplace_back(key->text, std::move(*column));
      }
    }
  }

  void read_divide(ReferenceRule& rule, const Node& node) {
    const auto text = read_text(report_, "divide", node);
    if (!text) return;
    const auto number = parse_real(*text);
    if (number && *number > 0) {
      rule.divide = *number;
    } else {
      report_.error(node.mark, fmt::format("divide: `{}` is not a number above 0", shown(*text)));
    }
  }

  Reporter& report_;
  const std::vector<std::string>& columns_;
};

}  // namespace

const std::vector<std::string>& reference_fields() {
  static const std::vector<std::string> fields{"source", "experiment", "device_name", "workload",
                                               "phase",  "metric",     "unit",        "value",
                                               "std",    "n",          "outcome"};
  return fields;
}

ReferenceMapping read_mapping(Reporter& report, const Node& root,
                              const std::vector<std::string>& columns) {
  return MappingReader(report, columns).read(root);
}

}  // namespace sweepd::sweepfile
