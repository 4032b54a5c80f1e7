#include "runner/sweepfile/sweep/overrides.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "runner/base/text.h"
#include "runner/base/units.h"
#include "runner/sweepfile/yaml/product.h"
#include "runner/sweepfile/yaml/values.h"

namespace sweepd::sweepfile {
namespace {

struct Slot {
  ZipGroup* group = nullptr;
  std::size_t axis = 0;
};

Slot find_in_zip(Sweep& sweep, std::size_t param) {
  for (ZipGroup& group : sweep.zip) {
    for (std::size_t i = 0; i < group.axes.size(); ++i) {
      if (group.axes[i].param == param) return {&group, i};
    }
  }
  return {};
}

Axis* find_in_matrix(Sweep& sweep, std::size_t param) {
  for (Axis& axis : sweep.matrix) {
    if (axis.param == param) return &axis;
  }
  return nullptr;
}

void remove_axis(Sweep& sweep, std::size_t param) {
  std::erase_if(sweep.matrix, [&](const Axis& axis) { return axis.param == param; });
  for (ZipGroup& group : sweep.zip) {
    std::erase_if(group.axes, [&](const Axis& axis) { return axis.param == param; });
  }
  std::erase_if(sweep.zip, [](const ZipGroup& group) { return group.axes.empty(); });
}

void remove_param(Sweep& sweep, std::size_t param) {
  std::erase_if(sweep.params, [&](const Setting& setting) { return setting.param == param; });
}

void fix(Sweep& sweep, std::size_t param, const Value& value) {
  const bool product = has_product(sweep);
  remove_axis(sweep, param);
  remove_param(sweep, param);
  sweep.params.push_back({param, value});
  for (auto& point : sweep.include) {
    for (Setting& setting : point) {
      if (setting.param == param) setting.value = value;
    }
  }
  // Removing the last axis must not remove the product's points: with include points, a sweep
  // without axes has none.
  if (product && !has_product(sweep)) sweep.matrix.push_back({param, {value}});
}

// A point that names the parameter stays if its value is among the new ones. Other points took the
// value from params or the default, and are repeated for each new one.
void spread_include(Sweep& sweep, std::size_t param, const std::vector<Value>& values) {
  std::vector<std::vector<Setting>> points;
  for (auto& point : sweep.include) {
    const auto named = std::find_if(point.begin(), point.end(),
                                    [&](const Setting& s) { return s.param == param; });
    if (named == point.end()) {
      for (const Value& value : values) {
        points.push_back(point);
        points.back().push_back({param, value});
      }
    } else if (std::find(values.begin(), values.end(), named->value) != values.end()) {
      points.push_back(std::move(point));
    }
  }
  sweep.include = std::move(points);
}

// Returns a description of the mistake, or "".
std::string spread(Sweep& sweep, const ParamDef& def, std::size_t param,
                   const std::vector<Value>& values) {
  const Slot slot = find_in_zip(sweep, param);
  if (slot.group != nullptr && slot.group->axes[slot.axis].values.size() != values.size()) {
    return fmt::format(
        "{} values for `{}`, but the lists of its zip group in `{}` have {}; "
        "expected one value or {}",
        values.size(), def.name, sweep.name, slot.group->axes[slot.axis].values.size(),
        slot.group->axes[slot.axis].values.size());
  }
  const bool product = has_product(sweep);
  if (sweep.include.size() * values.size() > static_cast<std::size_t>(kMaxPoints)) {
    return fmt::format("{} include points of `{}` for each of {} values are more than {} points",
                       sweep.include.size(), sweep.name, values.size(), with_thousands(kMaxPoints));
  }
  remove_param(sweep, param);
  spread_include(sweep, param, values);
  if (!product) {
    if (!sweep.include.empty()) return "";
    return fmt::format("no point of `{}` has any of these values of `{}`", sweep.name, def.name);
  }
  if (slot.group != nullptr) {
    slot.group->axes[slot.axis].values = values;
  } else if (Axis* axis = find_in_matrix(sweep, param)) {
    axis->values = values;
  } else {
    sweep.matrix.push_back({param, values});
  }
  return "";
}

// Returns the typed values of `v1,v2`, or nothing after reporting a mistake.
std::optional<std::vector<Value>> parse_list(Reporter& report, const Override& set,
                                             const ParamDef& def) {
  std::vector<Value> values;
  if (set.values.empty() && def.type == ValueType::kText) return {{Value(std::string())}};
  bool good = true;
  int column = static_cast<int>(set.name.size()) + 2;
  for (const std::string& part : split(set.values, ',')) {
    const auto length = static_cast<int>(part.size());
    const std::string_view text = trim(part);
    auto value = def.parse(text);
    if (text.empty()) {
      report.set_error(set, column, length, fmt::format("a value of `{}` is empty", def.name));
      good = false;
    } else if (!value) {
      Refusal refusal = refusal_of(def, value.error(), text);
      report.set_error(set, column, length, refusal.message, std::move(refusal.help));
      good = false;
    } else {
      values.push_back(std::move(*value));
    }
    column += length + 1;
  }
  if (!good) return std::nullopt;
  return values;
}

bool has_repeats(const std::vector<Value>& values) {
  return std::set<Value>(values.begin(), values.end()).size() != values.size();
}

void apply(Reporter& report, Draft& draft, const Override& set, std::size_t param) {
  const ParamDef& def = draft.def->params[param];
  const auto values = parse_list(report, set, def);
  if (!values) return;
  if (values->size() == 1) {
    fix(draft.sweep, param, values->front());
    return;
  }
  // A zip list may repeat a value (its partners differ), but an axis of its own may not.
  std::string wrong;
  if (has_repeats(*values) && find_in_zip(draft.sweep, param).group == nullptr) {
    wrong = fmt::format("`{}` is given the same value twice", def.name);
  } else {
    wrong = spread(draft.sweep, def, param, *values);
  }
  if (wrong.empty()) return;
  report.set_error(set, static_cast<int>(set.name.size()) + 2, static_cast<int>(set.values.size()),
                   wrong);
}

void report_unknown(Reporter& report, const std::vector<Draft>& drafts, const Override& set) {
  std::vector<std::string> workloads;
  std::vector<std::string> names;
  for (const Draft& draft : drafts) {
    const std::string& workload = draft.def->name;
    if (std::find(workloads.begin(), workloads.end(), workload) != workloads.end()) continue;
    workloads.push_back(workload);
    for (const ParamDef& def : draft.def->params) names.push_back(def.name);
  }
  report.set_error(
      set, 1, static_cast<int>(set.name.size()),
      fmt::format("`{}` is not a parameter of {}", shown(set.name), join(workloads, " or ")),
      help_nearest(set.name, names));
}

}  // namespace

std::vector<std::string> apply_overrides(Reporter& report, std::vector<Draft>& drafts,
                                         const std::vector<Override>& overrides) {
  std::vector<std::string> unfit;
  std::set<std::string> seen;
  for (const Override& set : overrides) {
    if (!seen.insert(set.name).second) {
      report.set_error(set, 1, static_cast<int>(set.name.size()),
                       fmt::format("`{}` is set twice", shown(set.name)),
                       "give several values at once: " + shown(set.name) + "=v1,v2");
      continue;
    }
    bool known = false;
    for (Draft& draft : drafts) {
      const auto param = draft.def->index_of(set.name);
      if (!param) continue;
      known = true;
      apply(report, draft, set, *param);
    }
    if (known) continue;
    if (set.where_it_fits) {
      unfit.push_back(set.name);
    } else {
      report_unknown(report, drafts, set);
    }
  }
  return unfit;
}

}  // namespace sweepd::sweepfile
