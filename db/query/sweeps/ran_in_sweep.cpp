#include <fmt/format.h>

#include "db/query/planning/own_results.h"
#include "db/query/state.h"

namespace sweepd {
namespace {

// One host counts once, though its CPU and its GPUs have machine their own ids.
std::int64_t machines_of_one_host(Connection& connection, std::int64_t sweep) {
  Query query(connection,
              "SELECT max(n) FROM (SELECT count(DISTINCT e.machine) AS n FROM sweep_attempt sa "
              "JOIN attempt a ON a.row = sa.attempt JOIN environment e ON e.id = a.environment "
              "LEFT JOIN attempt_device x ON x.attempt = a.row AND x.rank = 0 "
              "LEFT JOIN device d ON d.id = x.device WHERE sa.sweep = ? AND a.outcome = 'done' "
              "AND e.machine <> '' GROUP BY a.host, d.kind)");
  query.bind(sweep);
  query.next();
  return query.integer(0);
}

void read_older_programs(Connection& connection, std::int64_t sweep, const WorkloadDef& def,
                         RanInSweep& ran) {
  const auto computed = def.computed_param();
  if (!computed) return;
  Query query(connection,
              fmt::format("SELECT st.submitted_code, p.{}, count(*) FROM sweep_trial st JOIN {} p "
                          "ON p.trial = st.trial WHERE st.sweep = ? AND st.submitted_code IS NOT "
                          "NULL GROUP BY 1, 2",
                          sql_name(def.params[*computed].name), sql_name(params_table(def.name))));
  query.bind(sweep);
  Changes changes;
  while (query.next()) {
    changes.add({query.text(1), {}, {}}, query.text(0), {}, "the program");
    ran.older_programs += query.integer(2);
  }
  ran.changed = changes.what;
}

// Compares another attempt of the same point with the sweep's own.
void read_others(Connection& connection, std::int64_t sweep, RanInSweep& ran) {
  static const std::string kSql = fmt::format(
      "SELECT count(*) FILTER (WHERE a.outcome NOT IN ('done', 'cancelled') AND EXISTS (SELECT 1 "
      "FROM attempt n WHERE {})), count(DISTINCT a.trial) FILTER (WHERE EXISTS (SELECT 1 FROM "
      "attempt n WHERE n.trial = a.trial AND n.pass = a.pass AND n.repeat = a.repeat AND n.host = "
      "a.host AND n.is_current = 1 AND n.outcome = 'done' AND (a.outcome = 'done' OR n.ended_ns > "
      "a.ended_ns))) FROM sweep_attempt sa JOIN attempt a ON a.row = sa.attempt WHERE sa.sweep = ? "
      "AND a.is_current = 0",
      is_older_result("n", "a"));
  Query query(connection, kSql);
  query.bind(sweep);
  query.next();
  ran.not_measured_again = query.integer(0);
  ran.measured_later = query.integer(1);
}

}  // namespace

Result<RanInSweep> Reader::ran_in_sweep(const SweepId& sweep, const WorkloadDef& def) {
  return state_->ask("reading what ran", [&]() -> Result<RanInSweep> {
    const auto row = sweep_row(*state_, sweep);
    if (!row) return row.error();
    Query query(state_->connection,
                "SELECT count(DISTINCT e.code), count(DISTINCT nullif(e.machine, '')) FROM "
                "sweep_attempt sa JOIN attempt a ON a.row = sa.attempt JOIN environment e ON e.id "
                "= a.environment WHERE sa.sweep = ? AND a.outcome = 'done'");
    query.bind(*row);
    query.next();
    RanInSweep ran;
    ran.codes = query.integer(0);
    ran.machines = query.integer(1);
    if (ran.machines > 1) ran.machines = machines_of_one_host(state_->connection, *row);
    read_older_programs(state_->connection, *row, def, ran);
    read_others(state_->connection, *row, ran);
    return ran;
  });
}

Result<std::map<AttemptId, WhatRan>> Reader::what_ran(const std::vector<AttemptId>& attempts) {
  using All = std::map<AttemptId, WhatRan>;
  return state_->ask("reading what ran", [&]() -> Result<All> {
    All all;
    Query query(state_->connection,
                "SELECT coalesce(d.name, ''), coalesce(e.code, ''), coalesce(e.build_commit, ''), "
                "coalesce(e.torch_version, ''), coalesce(ad.driver, '') FROM attempt a "
                "LEFT JOIN environment e ON e.id = a.environment "
                "LEFT JOIN attempt_device ad ON ad.attempt = a.row AND ad.rank = 0 "
                "LEFT JOIN device d ON d.id = ad.device WHERE a.uid = ?");
    for (const AttemptId& attempt : attempts) {
      query.rewind();
      query.bind(attempt);
      if (!query.next()) continue;
      WhatRan& ran = all[attempt];
      for (std::size_t i = 0; i < ran.size(); ++i) ran[i] = query.text(static_cast<int>(i));
    }
    return all;
  });
}

}  // namespace sweepd
