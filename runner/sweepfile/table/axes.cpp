#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "runner/base/text.h"
#include "runner/sweepfile/yaml/reports.h"
#include "runner/sweepfile/yaml/sections.h"
#include "runner/sweepfile/yaml/values.h"

namespace sweepd::sweepfile {
namespace {

constexpr std::string_view kUseMatrix = "several values of a parameter belong under `matrix`";

// Returns the parameter that a key gives values to, or nothing if it is unknown or already given
// elsewhere.
std::optional<std::size_t> claim(Reporter& report, Draft& draft, const Node& key,
                                 std::string_view section) {
  const auto param = read_param(report, draft.def, key);
  if (!param) return std::nullopt;
  const auto [earlier, added] =
      draft.claims.try_emplace(*param, Claim{std::string(section), key.mark});
  if (added) return param;
  const Claim& other = earlier->second;
  report.error(
      key.mark,
      fmt::format(
          "`{}` is given under {} too, at line {}; a parameter may be set in only one place",
          key.text, other.section, other.mark.line));
  return std::nullopt;
}

// Checks that an axis has a list of at least one value.
bool expect_values(Reporter& report, const Node& key, const Node& list) {
  const std::string what = shown(key.text);
  const std::string help =
      list.is_scalar() && list.text.size() <= 60
          ? fmt::format("write [{}] for one value, or put it under `params`", list.text)
          : "";
  if (!expect_list(report, what, "a list of values", list, help)) return false;
  if (!list.items.empty()) return true;
  report.error(list.mark, fmt::format("axis `{}` has no values; expected at least one", what));
  return false;
}

// Reads the values of the list that parse. `complete` becomes false if one does not.
std::vector<Value> read_values(Reporter& report, const ParamDef& def, const Node& list,
                               bool& complete) {
  std::vector<Value> values;
  for (const NodePtr& item : list.items) {
    auto value = read_value_or_list(report, def, *item, kOneValue);
    if (value) {
      values.push_back(std::move(*value));
    } else {
      complete = false;
    }
  }
  return values;
}

void report_repeats(Reporter& report, const ParamDef& def, const Node& list,
                    const std::vector<Value>& values) {
  if (values.size() != list.items.size()) return;  // not all parsed, so positions do not match
  std::map<Value, std::size_t> first;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (first.try_emplace(values[i], i).second) continue;
    report.error(list.items[i]->mark, fmt::format("axis `{}` has the value {} twice", def.name,
                                                  shown(def.text(values[i]))));
  }
}

// The lists of a group advance together and would end with the shortest, which is never intended.
void check_lengths(Reporter& report, const Node& group) {
  const Node::Entry* first = nullptr;
  for (const Node::Entry& entry : group.entries) {
    if (!entry.value->is_list() || entry.value->items.empty()) continue;
    if (first == nullptr) {
      first = &entry;
    } else if (entry.value->items.size() != first->value->items.size()) {
      const std::size_t count = entry.value->items.size();
      report.error(entry.value->mark,
                   fmt::format("`{}` has {} {}, `{}` has {}; the lists of one zip group need the "
                               "same number",
                               shown(entry.key->text), count, count == 1 ? "value" : "values",
                               shown(first->key->text), first->value->items.size()));
    }
  }
}

void read_group(Reporter& report, Draft& draft, const Node& group) {
  if (!expect_map(report, "zip", group)) return;
  if (group.entries.empty()) {
    report.error(group.mark, "a zip group needs at least one axis");
    return;
  }
  check_lengths(report, group);
  ZipGroup zip;
  for (const auto& [key, list] : group.entries) {
    const auto param = claim(report, draft, *key, "zip");
    bool complete = expect_values(report, *key, *list);
    if (!param) continue;
    if (!complete) {
      draft.claims[*param].broken = true;
      continue;
    }
    auto values = read_values(report, draft.def->params[*param], *list, complete);
    draft.claims[*param].broken = !complete;
    zip.axes.push_back({*param, std::move(values)});
  }
  if (!zip.axes.empty()) draft.sweep.zip.push_back(std::move(zip));
}

constexpr std::string_view kUsePoints = "write one point for each value";

void read_rule(Reporter& report, Draft& draft, const Node& node) {
  if (!expect_map(report, "exclude", node)) return;
  if (node.entries.empty()) {
    report.error(node.mark, "an exclude rule without keys would remove every point");
    return;
  }
  ExcludeRule rule;
  rule.line = node.mark.line;
  for (const auto& [key, value] : node.entries) {
    if (value->is_list() && value->items.empty()) {
      report.error(value->mark, fmt::format("exclude: `{}` has no values", shown(key->text)));
      continue;
    }
    const auto param = read_param(report, draft.def, *key);
    if (!param) continue;
    const ParamDef& def = draft.def->params[*param];
    Axis axis{*param, {}};
    const std::vector<NodePtr> items = value->is_list() ? value->items : std::vector{value};
    for (const NodePtr& item : items) {
      auto parsed = read_value(report, def, *item, kOneValue);
      if (!parsed) continue;
      draft.excluded.push_back({*param, *parsed, item->mark});
      axis.values.push_back(std::move(*parsed));
    }
    rule.keys.push_back(std::move(axis));
  }
  draft.sweep.exclude.push_back(std::move(rule));
}

void read_point(Reporter& report, Draft& draft, const Node& node) {
  if (!expect_map(report, "include", node)) return;
  if (node.entries.empty()) {
    report.error(node.mark, "an include point needs at least one parameter");
    return;
  }
  std::vector<Setting> point;
  for (const auto& [key, value] : node.entries) {
    const auto param = read_param(report, draft.def, *key);
    if (!param) continue;
    auto parsed = read_value(report, draft.def->params[*param], *value, kUsePoints);
    if (parsed) point.push_back({*param, std::move(*parsed)});
  }
  draft.sweep.include.push_back(std::move(point));
}

// Returns every value that the parameter has in the product of matrix and zip.
std::vector<Value> values_in_product(const Draft& draft, std::size_t param) {
  for (const Axis& axis : draft.sweep.matrix) {
    if (axis.param == param) return axis.values;
  }
  for (const ZipGroup& group : draft.sweep.zip) {
    for (const Axis& axis : group.axes) {
      if (axis.param == param) return axis.values;
    }
  }
  for (const Setting& setting : draft.sweep.params) {
    if (setting.param == param) return {setting.value};
  }
  return {draft.def->params[param].default_value};
}

void report_absent(Reporter& report, const ParamDef& def, const ExcludedValue& excluded,
                   const std::vector<Value>& values) {
  constexpr std::size_t kMaxListed = 12;
  std::vector<std::string> texts;
  for (const Value& value : values) {
    if (texts.size() < kMaxListed) texts.push_back(shown(def.text(value)));
  }
  std::string listed = join(texts, ", ");
  if (values.size() > texts.size()) listed += " …";
  const std::string text = def.text(excluded.value);
  report.error(
      excluded.mark,
      fmt::format("exclude: no point has {} = {}; {}", def.name, shown(text),
                  values.size() == 1 ? "every point has " + listed : "its values are " + listed),
      def.type == ValueType::kChoice ? help_nearest(text, texts) : "");
}

}  // namespace

void read_params(Reporter& report, Draft& draft, const Node& section) {
  if (!expect_map(report, "params", section)) return;
  for (const auto& [key, node] : section.entries) {
    const auto param = claim(report, draft, *key, "params");
    if (!param) continue;
    if (node->is_map() && is_reports_param(*draft.def, *param)) {
      read_reports(report, draft, *param, *node);
      continue;
    }
    auto value = read_value(report, draft.def->params[*param], *node, kUseMatrix);
    if (value) {
      draft.sweep.params.push_back({*param, std::move(*value)});
    } else {
      draft.claims[*param].broken = true;
    }
  }
}

void read_work(Reporter& report, Draft& draft, const Node& section) {
  if (!expect_map(report, "work", section) || draft.def == nullptr) return;
  for (const auto& [key, node] : section.entries) {
    const auto param = draft.def->index_of("work_" + key->text);
    if (!param) {
      report.error(key->mark,
                   draft.def->index_of("work_flops")
                       ? fmt::format("work: `{}` is unknown; expected tokens, flops or bytes",
                                     shown(key->text))
                       : fmt::format("work: `{}` knows its own work; the section is for programs",
                                     draft.def->name));
      continue;
    }
    if (draft.claims.contains(*param)) {
      report.error(key->mark, fmt::format("work: `work_{}` has a value under `{}` too", key->text,
                                          draft.claims[*param].section));
      continue;
    }
    auto value = read_value(report, draft.def->params[*param], *node, kUseMatrix);
    draft.claims[*param] = {"work", key->mark, !value};
    if (value) draft.sweep.params.push_back({*param, std::move(*value)});
  }
}

void read_matrix(Reporter& report, Draft& draft, const Node& section) {
  if (!expect_map(report, "matrix", section)) return;
  for (const auto& [key, list] : section.entries) {
    const auto param = claim(report, draft, *key, "matrix");
    const bool listed = expect_values(report, *key, *list);
    if (!param) continue;
    bool complete = listed;
    std::vector<Value> values;
    if (listed) {
      const ParamDef& def = draft.def->params[*param];
      values = read_values(report, def, *list, complete);
      report_repeats(report, def, *list, values);
    }
    draft.claims[*param].broken = !complete;
    draft.sweep.matrix.push_back({*param, std::move(values)});
  }
}

void read_zip(Reporter& report, Draft& draft, const Node& section) {
  const std::string help = section.is_map() ? "begin each group with `- `" : "";
  if (!expect_list(report, "zip", "a list of groups", section, help)) return;
  for (const NodePtr& group : section.items) read_group(report, draft, *group);
}

void read_exclude(Reporter& report, Draft& draft, const Node& section) {
  const std::string help = section.is_map() ? "begin each rule with `- `" : "";
  if (!expect_list(report, "exclude", "a list of rules", section, help)) return;
  for (const NodePtr& rule : section.items) read_rule(report, draft, *rule);
}

void read_include(Reporter& report, Draft& draft, const Node& section) {
  const std::string help = section.is_map() ? "begin each point with `- `" : "";
  if (!expect_list(report, "include", "a list of points", section, help)) return;
  for (const NodePtr& point : section.items) read_point(report, draft, *point);
}

void check_exclude(Reporter& report, const Draft& draft) {
  std::map<std::size_t, std::set<Value>> known;  // an axis may be long and the rules many
  for (const ExcludedValue& excluded : draft.excluded) {
    const auto claim = draft.claims.find(excluded.param);
    if (claim != draft.claims.end() && claim->second.broken) continue;
    auto [values, added] = known.try_emplace(excluded.param);
    if (added) {
      for (Value& value : values_in_product(draft, excluded.param)) values->second.insert(value);
    }
    if (values->second.contains(excluded.value)) continue;
    report_absent(report, draft.def->params[excluded.param], excluded,
                  values_in_product(draft, excluded.param));
  }
}

}  // namespace sweepd::sweepfile
