#include "db/query/planning/shown_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "runner/model/vocabulary/known_metric.h"
#include "runner/model/vocabulary/metric_name.h"

namespace sweepd {
namespace {

std::string fact_of_metric(const std::string& metric) {
  return std::string(kMetricFact) + metric;
}

// The first ranks' facts of the plan's sweep, or workload.
std::string facts_in(const QueryPlan& plan) {
  const std::string from =
      "SELECT DISTINCT text FROM fact WHERE name = ?1 AND rank = 0 AND attempt IN ";
  if (plan.sweep) return from + "(SELECT attempt FROM sweep_attempt WHERE sweep = ?2) LIMIT 2";
  return from +
         "(SELECT a.row FROM attempt a JOIN trial t ON t.id = a.trial WHERE t.workload = ?2) "
         "LIMIT 2";
}

}  // namespace

std::vector<std::pair<std::string, std::string>> shown_metrics(
    ReaderState& state, const QueryPlan& plan, const std::vector<std::string>& metrics) {
  std::vector<std::pair<std::string, std::string>> shown;
  for (const std::string& metric : metrics) {
    const auto name = state.names.find(fact_of_metric(metric));
    if (!name) continue;  // of nearly every metric
    Query query(state.connection, facts_in(plan));
    if (plan.sweep) {
      query.bind_all(*name, *plan.sweep);
    } else {
      query.bind_all(*name, plan.def->name);
    }
    if (!query.next()) continue;
    std::string text = query.text(0);
    if (!query.next()) shown.emplace_back(metric, std::move(text));
  }
  return shown;
}

std::string metric_as_stored(ReaderState& state, const std::string& metric) {
  const std::string plain = stored_metric_name(metric);
  if (plain == metric || source_of_metric(metric) != FigureSource::kSummary) return metric;
  // `val/loss` may be `val_loss_2` where a program has `val.loss` too.
  Query query(state.connection,
              "SELECT n.text FROM name n WHERE n.text >= ?1 AND n.text < ?1 || 'z' AND EXISTS "
              "(SELECT 1 FROM fact f WHERE f.name = n.id AND f.text = ?2) ORDER BY n.text LIMIT 1");
  query.bind_all(fact_of_metric(plain), metric);
  return query.next() ? query.text(0).substr(kMetricFact.size()) : metric;
}

void add_shown_names(Connection& connection, Table& table, const std::string& where,
                     std::int64_t id) {
  const auto column = std::ranges::find(table.columns, "metric", &Column::name);
  if (column == table.columns.end()) return;
  Query query(connection,
              fmt::format("SELECT n.text, f.text FROM attempt a JOIN fact f ON f.attempt = a.row "
                          "JOIN name n ON n.id = f.name WHERE {} AND f.rank = 0 AND n.text >= '{}' "
                          "AND n.text < '{}z'",
                          where, kMetricFact, kMetricFact));
  query.bind(id);
  std::map<std::string, std::string> names;
  while (query.next()) names[query.text(0).substr(kMetricFact.size())] = query.text(1);
  const auto at = static_cast<std::size_t>(column - table.columns.begin());
  for (auto& row : table.rows) {
    const auto name = names.find(row[at].text);
    if (name != names.end()) row[at].text += fmt::format(" ({})", name->second);
  }
}

}  // namespace sweepd
