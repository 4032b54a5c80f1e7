// Which points of the product are excluded, and which are added to it.
#include <fmt/format.h>

#include <map>
#include <set>

#include "runner/base/text.h"
#include "runner/sweepfile/axes.h"
#include "runner/sweepfile/values.h"

namespace sweepd::sweepfile {
namespace {

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
