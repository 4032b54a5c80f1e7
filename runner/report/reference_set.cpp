#include "runner/report/reference_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "runner/base/text.h"
#include "runner/base/units.h"
#include "runner/model/kernel_class.h"
#include "runner/model/sample.h"

namespace sweepd {
namespace {

// Returns nothing for a parameter that the row does not state.
std::optional<std::string> value_in(const ReferenceRow& row, const std::string& name) {
  if (name == "source") return row.source;
  if (name == "phase") return row.phase;
  if (name == "metric") return row.metric;
  if (name == "outcome") return row.outcome;
  if (name == "device_name") return row.device;
  for (const auto& [param, value] : row.params) {
    // As of measured kernels, so that one kernel is one row.
    if (param == name) return name == "kernel" ? short_kernel_name(value) : value;
  }
  return std::nullopt;
}

bool names(const TableSpec& table, const std::string& name) {
  return std::find(table.rows.begin(), table.rows.end(), name) != table.rows.end() ||
         std::find(table.columns.begin(), table.columns.end(), name) != table.columns.end();
}

bool is_dimension(const std::string& name) {
  return std::ranges::find(kReferenceDimensions, name) != std::end(kReferenceDimensions);
}

bool is_asked_for(const ReferenceRow& row, const TableSpec& table, const SweepValues& sweep) {
  bool by_phase = names(table, "phase");
  for (const TableSpec::Filter& filter : table.where) {
    by_phase |= filter.name == "phase";
    const auto value = value_in(row, filter.name);
    if (filter.name == "sweep" || filter.name == "pass") continue;  // of measured results
    if (!value) return false;
    if (std::find(filter.values.begin(), filter.values.end(), *value) == filter.values.end()) {
      return false;
    }
  }
  // As of measured results, the whole step is meant unless the table says otherwise.
  if (!by_phase && row.phase != "step") return false;
  // A figure of the whole point is none of one kernel.
  const bool of_parts = std::ranges::any_of(kReferenceDimensions, [&](std::string_view name) {
    return names(table, std::string(name)) && !value_in(row, std::string(name));
  });
  if (of_parts) return false;
  return std::all_of(row.params.begin(), row.params.end(), [&](const auto& param) {
    const bool filtered =
        std::any_of(table.where.begin(), table.where.end(),
                    [&](const TableSpec::Filter& filter) { return filter.name == param.first; });
    if (is_dimension(param.first)) return filtered || names(table, param.first);
    const auto measured = sweep.find(param.first);
    return filtered || names(table, param.first) || measured == sweep.end() ||
           measured->second.contains(param.second);
  });
}

Stats stats_of(const ReferenceRow& row) {
  Stats stats;
  if (std::isnan(row.value)) return stats;
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  stats = {row.n, row.value, row.std, unknown, unknown, unknown, unknown, unknown, unknown};
  if (row.n == 1) stats.min = stats.p05 = stats.median = stats.p95 = stats.max = row.value;
  return stats;
}

ResultRow result_of(const ReferenceRow& row) {
  ResultRow result;
  result.outcome = *outcome_from(row.outcome);
  if (result.outcome == Outcome::kDone) result.stats = stats_of(row);
  if (!row.doubts.empty()) {
    result.verdict = row.invalid ? Verdict::kInvalid : Verdict::kSuspect;
    result.note = fmt::format("{}: {}", row.source, join(row.doubts, "; "));
  }
  // Measured facts have their digits as a text; so that `{text}` shows both.
  if (row.metric.starts_with("fact.") && result.stats.n > 0) {
    result.text = fmt::format("{}", row.value);
  }
  result.trial = fmt::format("reference {} line {}", row.source, row.line);
  return result;
}

// Texts with the sources that they are about, in the order of their appearance.
class BySource {
 public:
  void add(const std::string& text, const std::string& source) {
    auto same = std::ranges::find(all_, text, &std::pair<std::string, Sources>::first);
    if (same == all_.end()) same = all_.insert(same, {text, {}});
    if (std::ranges::find(same->second, source) == same->second.end()) {
      same->second.push_back(source);
    }
  }
  // "000, 001: a sum of ten steps"
  std::vector<std::string> lines() const {
    std::vector<std::string> lines;
    for (const auto& [text, sources] : all_) lines.push_back(join(sources, ", ") + ": " + text);
    return lines;
  }

 private:
  using Sources = std::vector<std::string>;
  std::vector<std::pair<std::string, Sources>> all_;
};

}  // namespace

ResultSet reference_set(const std::vector<ReferenceRow>& rows, const QuerySpec& read,
                        const SweepValues& sweep) {
  const TableSpec& table = read.table;
  ResultSet set;
  set.metric = table.metric.empty() ? "time" : table.metric;
  set.unit = unit_of_metric(set.metric);
  for (const auto* list : {&table.rows, &table.columns}) {
    for (const std::string& name : *list) set.dimensions.push_back({name, true, {}});
  }
  BySource devices, remarks;
  for (const ReferenceRow& row : rows) {
    if (!is_asked_for(row, table, sweep)) continue;
    if (!row.device.empty()) devices.add(row.device, row.source);
    for (const std::string& remark : row.remarks) remarks.add(remark, row.source);
    ResultRow result = result_of(row);
    for (Dimension& dimension : set.dimensions) {
      const std::string value = value_in(row, dimension.name).value_or("");
      dimension.numeric &= value.empty() || parse_real(value).ok();
      const auto known = std::find(dimension.values.begin(), dimension.values.end(), value);
      result.at.push_back(static_cast<std::uint32_t>(known - dimension.values.begin()));
      if (known == dimension.values.end()) dimension.values.push_back(value);
    }
    set.rows.push_back(std::move(result));
  }
  const auto lines = devices.lines();
  if (!lines.empty()) set.remarks.push_back("devices of published figures: " + join(lines, "; "));
  for (std::string& line : remarks.lines()) set.remarks.push_back(std::move(line));
  return set;
}

}  // namespace sweepd
