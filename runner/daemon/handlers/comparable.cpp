#include "runner/daemon/handlers/comparable.h"

#include <fmt/format.h>

#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include "runner/base/text.h"
#include "runner/daemon/handlers/make_table.h"
#include "runner/model/vocabulary/known_metric.h"
#include "runner/report/cell/noise.h"
#include "runner/report/render/option_text.h"

namespace sweepd {

namespace {

// A sample that is better small or large. Of a metric without a unit, such as a loss, the sweep
// file must say so.
bool is_comparable(const KnownMetric& metric) {
  return metric.source == FigureSource::kSummary && metric.unit != "1" &&
         better_of({}, metric.name) != Better::kUnknown;
}

bool is_comparable(const std::vector<MetricDef>& declared, const std::string& metric) {
  if (metric.ends_with("time")) return true;
  const KnownMetric* known = find_known_metric(metric);
  if (known != nullptr && is_comparable(*known)) return true;
  return find_metric(declared, metric) != nullptr &&
         better_of(declared, metric) != Better::kUnknown;
}

std::string comparable_names() {
  std::vector<std::string> names;
  for (const KnownMetric& metric : known_metrics()) {
    if (is_comparable(metric)) names.push_back(metric.name);
  }
  return join(names, ", ");
}

}  // namespace

Result<double> share_from(std::string_view member, const std::string& text) {
  const bool percent = text.ends_with('%');
  const char* end = text.data() + text.size() - (percent ? 1 : 0);
  double value = 0;
  const auto read = std::from_chars(text.data(), end, value);
  if (percent) value /= 100;
  if (read.ec == std::errc() && read.ptr == end && value > 0 && value < 1) return value;
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("{}: `{}` is not a share; expected such as 2% or 0.02, between 0 and 1",
                           member, text)};
}

Result<QuerySpec> comparable_results(Reader& reader, const Catalog& catalog,
                                     const WhichTimes& times) {
  QuerySpec query;
  query.workload = times.workload;
  query.sweep = times.sweep;
  query.newest = times.newest;
  const auto def = workload_of(reader, catalog, query);
  if (!def) return def.error();
  query.workload = (*def)->name;
  for (const ParamDef& param : (*def)->params) {
    if (param.role == ParamRole::kIdentity) query.table.rows.push_back(param.name);
  }
  query.table.rows.emplace_back("host");
  if (!is_comparable((*def)->metrics, times.metric)) {
    return Error{
        ErrorCode::kInvalidArgument,
        fmt::format("metric: `{}` cannot be compared; expected one of {}, or a metric that "
                    "the sweep file declares with `better: higher` or `lower`",
                    times.metric, comparable_names())};
  }
  query.table.metric = times.metric;
  query.table.where.push_back({"phase", {times.phase}});
  for (const std::string& text : times.where) {
    auto filter = filter_from_text("where", text);
    if (!filter) return filter.error();
    query.table.where.push_back(std::move(*filter));
  }
  return query;
}

std::vector<std::string> noise_notes(Reader& reader, const QuerySpec& query,
                                     const ResultSet& results) {
  constexpr std::size_t kMaxNotes = 3;
  std::vector<std::string> hosts, notes;
  for (const Dimension& dimension : results.dimensions) {
    if (dimension.name == "host") hosts = dimension.values;
  }
  const auto floors = reader.noise_floors(query.workload, hosts);
  if (!floors) return notes;
  for (const NoiseFloor& floor : *floors) {
    if (notes.size() == kMaxNotes) break;
    notes.push_back(noise_floor_text(floor));
  }
  return notes;
}

}  // namespace sweepd
