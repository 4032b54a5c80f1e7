// Metrics that a sweep file declares for its program: properties that their names do not give.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runner/base/fields.h"
#include "runner/base/result.h"

namespace sweepd {

enum class Better { kUnknown, kSmaller, kLarger };

struct MetricDef {
  std::string name;
  std::string unit = {};  // "" or "1": a number without one
  Better better = Better::kUnknown;
  std::string help = {};
  bool operator==(const MetricDef&) const = default;
  static void visit(auto& self, auto&& field) {
    field("name", self.name, "");
    field("unit", self.unit, "", MayLack());
    field("better", self.better, "", MayLack());
    field("help", self.help, "", MayLack());
  }
};

// Words for the second one: "lower", "higher"; "" if it is unknown.
std::string_view name_of(Better better);
Result<Better> better_from(std::string_view name);  // an unknown one is unknown

const MetricDef* find_metric(const std::vector<MetricDef>& declared, std::string_view name);

// Return the declaration, else the rule for the name: times, bytes and losses are better small,
// bandwidths large. An unknown unit is "".
std::string unit_of(const std::vector<MetricDef>& declared, std::string_view metric);
Better better_of(const std::vector<MetricDef>& declared, std::string_view metric);

}  // namespace sweepd
