#include "runner/report/table/reference_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "runner/base/text.h"
#include "runner/base/units.h"
#include "runner/model/measurement/sample.h"
#include "runner/model/vocabulary/kernel_class.h"
#include "runner/model/vocabulary/known_metric.h"

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

// A point without a figure and without a phase has none in any phase.
bool is_of_every_phase(const ReferenceRow& row) {
  return row.phase.empty() && row.outcome != name_of(Outcome::kDone);
}

bool is_asked_for(const ReferenceRow& row, const TableSpec& table, const SweepValues& sweep) {
  bool by_phase = names(table, "phase");
  for (const TableSpec::Filter& filter : table.where) {
    by_phase |= filter.name == "phase";
    const auto value = value_in(row, filter.name);
    if (filter.name == "sweep" || filter.name == "pass") continue;  // of measured results
    if (filter.name == "phase" && is_of_every_phase(row)) continue;
    if (!value) return false;
    if (std::find(filter.values.begin(), filter.values.end(), *value) == filter.values.end()) {
      return false;
    }
  }
  // As of measured results, the whole step is meant unless the table says otherwise.
  if (!by_phase && row.phase != "step" && !is_of_every_phase(row)) return false;
  // A figure of the whole point does not belong to one kernel.
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

void add_remark(std::vector<SourceRemark>& remarks, SourceRemark remark) {
  if (std::ranges::find(remarks, remark) == remarks.end()) remarks.push_back(std::move(remark));
}

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
  for (const ReferenceRow& row : rows) {
    if (!is_asked_for(row, table, sweep)) continue;
    if (!row.device.empty()) add_remark(set.remarks, {row.source, row.device, true});
    for (const std::string& text : row.remarks) add_remark(set.remarks, {row.source, text, false});
    ResultRow result = result_of(row);
    for (Dimension& dimension : set.dimensions) {
      if (dimension.name == "phase" && is_of_every_phase(row)) {
        result.at.push_back(kEveryValue);
        continue;
      }
      const std::string value = value_in(row, dimension.name).value_or("");
      dimension.numeric &= value.empty() || parse_real(value).ok();
      const auto known = std::find(dimension.values.begin(), dimension.values.end(), value);
      result.at.push_back(static_cast<std::uint32_t>(known - dimension.values.begin()));
      if (known == dimension.values.end()) dimension.values.push_back(value);
    }
    set.rows.push_back(std::move(result));
  }
  return set;
}

}  // namespace sweepd
