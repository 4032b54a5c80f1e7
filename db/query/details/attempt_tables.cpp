#include "db/query/details/attempt_tables.h"

#include "db/query/planning/shown_metrics.h"
#include "runner/model/attempt/attempt_record.h"

namespace sweepd {

Table work_table(Connection& connection, std::int64_t attempt) {
  const auto of_phase = columns_of<PhaseWork>();
  auto columns = shown(of_phase);
  columns.insert(columns.end(), {{"tokens", Show::kNumber}, {"arithmetic"}});
  Query query(connection,
              fmt::format("SELECT {}, w.tokens, w.arithmetic FROM work w "
                          "JOIN phase_work p ON p.attempt = w.attempt{} WHERE w.attempt = ? "
                          "ORDER BY p_phase.text = 'step', p.phase",
                          select_shown(of_phase, "p"), join_names(of_phase, "p")));
  query.bind(attempt);
  return rows_table(query, "Work per step", columns);
}

Table summary_table(Connection& connection, const std::string& where, std::int64_t id) {
  const auto of_summary = columns_of<Summary>();
  std::vector<DetailColumn> columns{{"attempt"}, {"pass"}, {"repeat", Show::kNumber}};
  const auto more = shown(of_summary);
  columns.insert(columns.end(), more.begin(), more.end());
  Query query(connection,
              fmt::format("SELECT substr(a.uid, 1, 8), a.pass, a.repeat, {} FROM attempt a "
                          "JOIN summary s ON s.attempt = a.row{} WHERE {} "
                          "ORDER BY a.pass DESC, a.repeat, a.row, s_metric.text = 'time' DESC, "
                          "s.metric, s_phase.text = 'step', s.phase",
                          select_shown(of_summary, "s"), join_names(of_summary, "s"), where));
  query.bind(id);
  Table table = rows_table(query, "Summary", columns);
  add_shown_names(connection, table, where, id);
  return table;
}

Table memory_table(Connection& connection, std::int64_t attempt) {
  return record_table<PhaseMemory>(connection, "Memory", attempt,
                                   "r.rank, r_phase.text = 'step', r.phase");
}

Table facts_table(Connection& connection, std::int64_t attempt) {
  Table table = record_table<Fact>(connection, "Facts", attempt, "r.rank, r.position, r_name.text");
  // The last column is the position, which the order of the rows shows.
  table.columns.pop_back();
  for (auto& row : table.rows) row.pop_back();
  return table;
}

Table lease_table(Connection& connection, std::int64_t attempt) {
  Query query(connection,
              "SELECT rank, cores, iif(gpu_index < 0, NULL, gpu_index), gpu_uuid FROM lease "
              "WHERE attempt = ? ORDER BY rank");
  query.bind(attempt);
  return rows_table(query, "Lease",
                    {{"rank", Show::kNumber}, {"cores"}, {"GPU", Show::kNumber}, {"GPU uuid"}});
}

Table samples_table(Connection& connection, std::int64_t attempt) {
  return record_table<Sample>(connection, "Samples", attempt,
                              "r.step, r.rank, r.metric, r_phase.text = 'step', r.phase");
}

}  // namespace sweepd
