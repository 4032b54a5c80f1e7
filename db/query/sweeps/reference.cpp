// Reads published figures.
#include <limits>

#include "db/query/state.h"

namespace sweepd {
namespace {

double real_or_nan(Query& query, int column) {
  return query.is_null(column) ? std::numeric_limits<double>::quiet_NaN() : query.real(column);
}

// An older database that is only read has no such tables.
bool has_references(Connection& connection) {
  Query query(connection,
              "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'reference_row'");
  return query.next();
}

ReferenceRow read_row(Connection& connection, Query& query) {
  ReferenceRow row;
  const std::int64_t id = query.integer(0);
  row.line = query.integer(1);
  row.source = query.text(2);
  row.experiment = query.text(3);
  row.device = query.text(4);
  row.workload = query.text(5);
  row.phase = query.text(6);
  row.metric = query.text(7);
  row.unit = query.text(8);
  row.outcome = query.text(9);
  row.value = real_or_nan(query, 10);
  row.std = real_or_nan(query, 11);
  row.n = query.integer(12);
  row.invalid = query.integer(13) != 0;
  Query params(connection, "SELECT name, value FROM reference_param WHERE row = ? ORDER BY name");
  params.bind(id);
  while (params.next()) row.params.emplace_back(params.text(0), params.text(1));
  Query doubts(connection,
               "SELECT text, is_remark FROM reference_doubt WHERE row = ? ORDER BY position");
  doubts.bind(id);
  while (doubts.next()) {
    (doubts.integer(1) != 0 ? row.remarks : row.doubts).push_back(doubts.text(0));
  }
  return row;
}

// A point that ended so before any phase has no peak either.
bool is_measured_memory(const std::string& metric) {
  return metric.ends_with("_bytes") && !metric.starts_with("figure.") &&
         !metric.starts_with("fact.");
}

}  // namespace

Result<std::vector<ReferenceRow>> Reader::reference_rows(const std::string& workload,
                                                         const std::string& metric) {
  return state_->ask("reading references", [&]() -> Result<std::vector<ReferenceRow>> {
    std::vector<ReferenceRow> rows;
    if (!has_references(state_->connection)) return rows;
    Query query(
        state_->connection,
        "SELECT id, line, source, experiment, device, workload, phase, metric, unit, "
        "outcome, value, std, n, invalid FROM reference_row WHERE workload = ? AND (metric = ? "
        "OR (phase = '' AND outcome <> 'done' AND ?)) ORDER BY source, id");
    query.bind_all(workload, metric, is_measured_memory(metric) ? 1 : 0);
    while (query.next()) rows.push_back(read_row(state_->connection, query));
    return rows;
  });
}

Result<std::vector<ReferenceSummary>> Reader::references() {
  return state_->ask("reading references", [&]() -> Result<std::vector<ReferenceSummary>> {
    std::vector<ReferenceSummary> all;
    if (!has_references(state_->connection)) return all;
    Query query(state_->connection,
                "SELECT id, name, description, added_ns FROM reference ORDER BY name");
    while (query.next()) {
      ReferenceSummary one{query.text(1), query.text(2), WallTime{query.integer(3)}, 0, 0, 0, {}};
      Query counts(state_->connection,
                   "SELECT count(*), sum(workload != ''), sum(EXISTS (SELECT 1 FROM "
                   "reference_doubt d WHERE d.row = r.id AND d.is_remark = 0)) FROM reference_row "
                   "r WHERE reference = ?");
      counts.bind(query.integer(0));
      counts.next();
      one.rows = counts.integer(0);
      if (one.rows > 0) {
        one.shown = counts.integer(1);
        one.doubted = counts.integer(2);
      }
      Query sources(
          state_->connection,
          "SELECT DISTINCT source FROM reference_row WHERE reference = ? ORDER BY source");
      sources.bind(query.integer(0));
      while (sources.next()) one.sources.push_back(sources.text(0));
      all.push_back(std::move(one));
    }
    return all;
  });
}

}  // namespace sweepd
