#include "db/query/attempt_tables.h"

namespace sweepd {

Table work_table(Connection& connection, std::int64_t attempt) {
  Query query(connection,
              "SELECT n.text, pw.flops, pw.bytes, w.tokens, w.arithmetic FROM work w "
              "JOIN phase_work pw ON pw.attempt = w.attempt JOIN name n ON n.id = pw.phase "
              "WHERE w.attempt = ? ORDER BY n.text = 'step', n.id");
  query.bind(attempt);
  return rows_table(query, "Work per step",
                    {{"phase"},
                     {"work", Show::kNumber, "FLOP"},
                     {"memory traffic", Show::kNumber, "B"},
                     {"tokens", Show::kNumber},
                     {"arithmetic"}});
}

Table summary_table(Connection& connection, const std::string& where, std::int64_t id) {
  Query query(connection,
              "SELECT substr(a.uid, 1, 8), a.pass, a.repeat, m.text, p.text, s.n, s.mean, s.std, "
              "s.min, s.p05, s.median, s.p95, s.max, s.mad FROM attempt a "
              "JOIN summary s ON s.attempt = a.row JOIN name m ON m.id = s.metric "
              "JOIN name p ON p.id = s.phase WHERE " +
                  where +
                  " ORDER BY a.pass DESC, a.repeat, a.row, m.text = 'time' DESC, m.id, "
                  "p.text = 'step', p.id");
  query.bind(id);
  return rows_table(query, "Summary",
                    {{"attempt"},
                     {"pass"},
                     {"repeat", Show::kNumber},
                     {"metric"},
                     {"phase"},
                     {"n", Show::kNumber},
                     {"mean", Show::kNumber},
                     {"std", Show::kNumber},
                     {"min", Show::kNumber},
                     {"p05", Show::kNumber},
                     {"median", Show::kNumber},
                     {"p95", Show::kNumber},
                     {"max", Show::kNumber},
                     {"mad", Show::kNumber}});
}

Table memory_table(Connection& connection, std::int64_t attempt) {
  // Blank where no allocator reported anything, as in a query (db/query/metrics.cpp).
  Query query(connection,
              "SELECT m.rank, p.text, iif(told, m.at_start_bytes, NULL), "
              "iif(told, m.peak_allocated_bytes, NULL), iif(told, m.at_end_bytes, NULL), "
              "iif(told, m.peak_reserved_bytes, NULL), m.device_in_use_bytes "
              "FROM (SELECT *, peak_allocated_bytes > 0 OR peak_reserved_bytes > 0 OR "
              "device_in_use_bytes = 0 AS told FROM memory) m "
              "JOIN name p ON p.id = m.phase WHERE m.attempt = ? "
              "ORDER BY m.rank, p.text = 'step', p.id");
  query.bind(attempt);
  return rows_table(query, "Memory",
                    {{"rank", Show::kNumber},
                     {"phase"},
                     {"allocated at start", Show::kBytes},
                     {"peak allocated", Show::kBytes},
                     {"allocated at end", Show::kBytes},
                     {"peak reserved", Show::kBytes},
                     {"device in use", Show::kBytes}});
}

Table facts_table(Connection& connection, std::int64_t attempt) {
  Query query(connection,
              "SELECT f.rank, n.text, f.number, f.text FROM fact f JOIN name n ON n.id = f.name "
              "WHERE f.attempt = ? ORDER BY f.rank, n.id");
  query.bind(attempt);
  return rows_table(query, "Facts",
                    {{"rank", Show::kNumber}, {"fact"}, {"number", Show::kNumber}, {"text"}});
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
  Query query(connection,
              "SELECT s.step, s.warmup, s.rank, p.text, m.text, s.value FROM sample s "
              "JOIN name p ON p.id = s.phase JOIN name m ON m.id = s.metric WHERE s.attempt = ? "
              "ORDER BY s.step, s.rank, m.id, p.text = 'step', p.id");
  query.bind(attempt);
  return rows_table(query, "Samples",
                    {{"step", Show::kNumber},
                     {"warm-up", Show::kFlag},
                     {"rank", Show::kNumber},
                     {"phase"},
                     {"metric"},
                     {"value", Show::kNumber}});
}

}  // namespace sweepd
