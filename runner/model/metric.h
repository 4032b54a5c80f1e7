// Metrics that a sweep file declares for its program: what sweepd cannot know from their names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sweepd {

enum class Better { kUnknown, kSmaller, kLarger };

struct MetricDef {
  std::string name;
  std::string unit = {};  // "" or "1": a number without one
  Better better = Better::kUnknown;
  std::string help = {};
  bool operator==(const MetricDef&) const = default;
};

// Words for the second one: "lower", "higher"; "" if it is unknown.
std::string_view name_of(Better better);

const MetricDef* find_metric(const std::vector<MetricDef>& declared, std::string_view name);

// Return what is declared, else what the name says: times, bytes and losses are better small,
// bandwidths large. An unknown unit is "".
std::string unit_of(const std::vector<MetricDef>& declared, std::string_view metric);
Better better_of(const std::vector<MetricDef>& declared, std::string_view metric);

}  // namespace sweepd
