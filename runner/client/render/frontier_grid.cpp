#include "runner/client/render/frontier_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <regex>

#include "runner/base/hash.h"
#include "runner/base/ids.h"
#include "runner/base/text.h"
#include "runner/model/sweep/frontier.h"

namespace sweepd {
namespace {

struct Size {
  double order;
  std::string text;
  bool fits;
};

// A choice's place among the choices, or the number.
Result<double> order_of(const ParamDef& def, const std::string& text) {
  const auto value = def.parse(text);
  if (!value) return value.error();
  if (def.type == ValueType::kChoice) {
    return static_cast<double>(std::ranges::find(def.choices, text) - def.choices.begin());
  }
  if (is_stand_in(def, *value)) {
    return Error{
        ErrorCode::kInvalidArgument,
        fmt::format("{0}={1} stands for another value, so it is neither larger nor smaller "
                    "than the others: leave it out, such as with --set {0}=VALUE,VALUE",
                    def.name, text)};
  }
  if (const auto* number = std::get_if<std::int64_t>(&*value)) return static_cast<double>(*number);
  if (const auto* real = std::get_if<double>(&*value)) return *real;
  return Error{
      ErrorCode::kInvalidArgument,
      fmt::format("`{}` has no order: expected a number or one of several choices", def.name)};
}

std::vector<std::string> growing_axes(const SweepPlan& plan, const WorkloadDef& def) {
  std::vector<std::string> names;
  for (const PlannedAxis& axis : plan.axes) {
    const ParamDef* param = def.find(axis.name);
    if (param != nullptr && param->grows_memory) names.push_back("`" + axis.name + "`");
  }
  return names;
}

Result<std::size_t> place_of_axis(const SweepPlan& plan, const WorkloadDef& def,
                                  const std::string& axis) {
  const auto mistake = [](std::string text) {
    return Error{ErrorCode::kInvalidArgument, std::move(text)};
  };
  const auto found = std::ranges::find(plan.axes, axis, &PlannedAxis::name);
  const auto growing = growing_axes(plan, def);
  const std::string expected =
      growing.empty() ? "it has no axis that grows memory" : "expected " + join(growing, " or ");
  const ParamDef* param = def.find(axis);
  if (param == nullptr) {
    return mistake(fmt::format("--axis: `{}` has no parameter `{}`; {}", def.name, axis, expected));
  }
  if (!param->grows_memory) {
    return mistake(fmt::format("--axis: a larger `{}` of `{}` needs no more memory; {}", axis,
                               def.name, expected));
  }
  if (found == plan.axes.end() || found->distinct < 2) {
    return mistake(
        fmt::format("--axis: `{}` has one value in sweep `{}`; give several to choose from, such "
                    "as --set {}=VALUE,VALUE,VALUE",
                    axis, plan.name, axis));
  }
  return static_cast<std::size_t>(found - plan.axes.begin());
}

}  // namespace

std::vector<std::string> FrontierGrid::sets(const FrontierLine& line, std::size_t size) const {
  std::vector<std::string> sets{axis + "=" + line.sizes.at(size)};
  for (std::size_t i = 0; i < others.size(); ++i) sets.push_back(others[i] + "=" + line.others[i]);
  return sets;
}

Result<FrontierGrid> frontier_grid(const SweepPlan& plan, const WorkloadDef& def,
                                   const std::string& axis) {
  const auto place = place_of_axis(plan, def, axis);
  if (!place) return place.error();
  FrontierGrid grid{axis, {}, {}};
  for (const PlannedAxis& other : plan.axes) {
    if (other.name != axis) grid.others.push_back(other.name);
  }
  std::map<std::vector<std::string>, std::size_t> lines;  // by the values of the other axes
  std::vector<std::vector<Size>> sizes;
  for (const PlannedTrial& trial : plan.rows) {
    for (const std::string& value : trial.values) {
      if (value.find(',') == std::string::npos) continue;
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("the value `{}` of an axis has a comma, which --set takes for the "
                               "end of a value",
                               value)};
    }
    std::vector<std::string> others = trial.values;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(*place));
    const auto [line, is_new] = lines.try_emplace(others, grid.lines.size());
    if (is_new) {
      grid.lines.push_back({others, {}, 0});
      sizes.emplace_back();
    }
    const std::string& text = trial.values[*place];
    const auto order = order_of(*def.find(axis), text);
    if (!order) return order.error();
    sizes[line->second].push_back({*order, text, trial.fits});
  }
  for (std::size_t i = 0; i < grid.lines.size(); ++i) {
    std::ranges::sort(sizes[i], {}, &Size::order);
    FrontierLine& line = grid.lines[i];
    for (const Size& size : sizes[i]) {
      if (size.fits) line.start = line.sizes.size();
      line.sizes.push_back(size.text);
    }
  }
  return grid;
}

std::string with_frontier_name(const std::string& text) {
  static const std::regex kName(R"re((^|\n)sweep:[ \t]*(["']?)([A-Za-z0-9_.-]+)\2)re");
  constexpr std::string_view kEnd = "-frontier";
  constexpr std::size_t kMost = kLongestGivenName - kEnd.size(), kDigits = 8;
  std::string out;
  auto rest = text.cbegin();
  for (std::sregex_iterator match(text.begin(), text.end(), kName), end; match != end; ++match) {
    std::string name = (*match)[3].str();
    if (name.size() > kMost) {
      name = name.substr(0, kMost - kDigits - 1) + "-" + hash128(name).substr(0, kDigits);
    }
    out.append(rest, (*match)[3].first).append(name).append(kEnd);
    rest = (*match)[3].second;
  }
  return out.append(rest, text.cend());
}

}  // namespace sweepd
