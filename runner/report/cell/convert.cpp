#include "runner/report/cell/convert.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

#include "runner/base/text.h"

namespace sweepd::report {
namespace {

enum class Kind { kTime, kSize, kRate };

struct Unit {
  std::string_view name;
  Kind kind;
  double scale;  // in ns, B or B/s: integers, so that division is exact where a double allows it
};

constexpr std::array kUnits{Unit{"ns", Kind::kTime, 1},         Unit{"us", Kind::kTime, 1e3},
                            Unit{"ms", Kind::kTime, 1e6},       Unit{"s", Kind::kTime, 1e9},
                            Unit{"m", Kind::kTime, 60e9},       Unit{"B", Kind::kSize, 1},
                            Unit{"KB", Kind::kSize, 1e3},       Unit{"MB", Kind::kSize, 1e6},
                            Unit{"GB", Kind::kSize, 1e9},       Unit{"TB", Kind::kSize, 1e12},
                            Unit{"KiB", Kind::kSize, 0x1p10},   Unit{"MiB", Kind::kSize, 0x1p20},
                            Unit{"GiB", Kind::kSize, 0x1p30},   Unit{"TiB", Kind::kSize, 0x1p40},
                            Unit{"MB/s", Kind::kRate, 1e6},     Unit{"GB/s", Kind::kRate, 1e9},
                            Unit{"MiB/s", Kind::kRate, 0x1p20}, Unit{"GiB/s", Kind::kRate, 0x1p30}};

const Unit* find(std::string_view name) {
  for (const Unit& unit : kUnits) {
    if (unit.name == name) return &unit;
  }
  return nullptr;
}

}  // namespace

Result<void> check_unit(std::string_view unit) {
  if (unit.empty() || unit == "1" || find(unit) != nullptr) return {};
  std::vector<std::string> names;
  names.reserve(kUnits.size());
  for (const Unit& known : kUnits) names.emplace_back(known.name);
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("unit: `{}` is not a unit; expected one of {}{}", unit,
                           join(names, ", "), did_you_mean(unit, names))};
}

Result<Conversion> conversion(std::string_view from, std::string_view to) {
  if (to.empty() || to == from) return Conversion{};
  if (auto known = check_unit(to); !known) return known.error();
  const Unit* source = find(from);
  const Unit* target = find(to);
  if (source == nullptr || target == nullptr || source->kind != target->kind) {
    const bool has_unit = !from.empty() && from != "1";
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("unit: values {} cannot be shown in {}",
                             has_unit ? fmt::format("in {}", from) : "without a unit", to)};
  }
  if (source->scale >= target->scale) return Conversion{source->scale / target->scale, 1};
  return Conversion{1, target->scale / source->scale};
}

}  // namespace sweepd::report
