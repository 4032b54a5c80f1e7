#include <algorithm>
#include <array>
#include <unordered_map>

#include "db/query/state.h"

namespace sweepd {
namespace {

struct PartOfTables {
  std::string_view what;
  std::array<std::string_view, 4> tables;
};
constexpr std::array kParts{
    PartOfTables{"samples", {"sample"}},
    PartOfTables{"summaries", {"summary"}},
    PartOfTables{"memory", {"memory", "memory_event", "memory_held", "allocation"}},
    PartOfTables{"kernels and operators", {"kernel", "operator"}},
    PartOfTables{"sweeps, trials and attempts",
                 {"sweep_trial", "trial", "attempt", "sweep_attempt"}},
};

std::string_view part_of(const std::string& table) {
  for (const PartOfTables& part : kParts) {
    if (std::find(part.tables.begin(), part.tables.end(), table) != part.tables.end()) {
      return part.what;
    }
  }
  return table.starts_with("params_") ? "parameters" : "everything else";
}

// SQLite has the table `dbstat` only if it was built with it.
bool has_dbstat(Connection& connection) {
  Query query(connection, "SELECT 1 FROM pragma_module_list WHERE name = 'dbstat'");
  return query.next();
}

std::vector<DatabaseUsage::Part> parts_of(Connection& connection) {
  std::map<std::string_view, std::int64_t> sizes;
  Query query(connection,
              "SELECT coalesce(s.tbl_name, d.name), sum(d.pgsize) FROM dbstat d "
              "LEFT JOIN sqlite_schema s ON s.name = d.name WHERE d.aggregate = 1 GROUP BY 1");
  while (query.next()) sizes[part_of(query.text(0))] += query.integer(1);
  std::vector<DatabaseUsage::Part> parts;
  for (const auto& [what, size] : sizes) parts.push_back({std::string(what), {size}});
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& a, const auto& b) { return a.size > b.size; });
  return parts;
}

Bytes unused_pages(Connection& connection) {
  SQLite::Database& database = connection.database();
  return {database.execAndGet("PRAGMA freelist_count").getInt64() *
          database.execAndGet("PRAGMA page_size").getInt64()};
}

std::vector<DatabaseUsage::OfSweep> sweeps_with_attempts(Connection& connection) {
  std::vector<DatabaseUsage::OfSweep> sweeps;
  std::unordered_map<std::int64_t, std::size_t> place;
  Query all(connection,
            "SELECT s.id, s.uid, s.name, s.submitted_ns, (SELECT count(*) FROM sweep_trial st "
            "WHERE st.sweep = s.id) FROM sweep s ORDER BY s.id");
  while (all.next()) {
    place[all.integer(0)] = sweeps.size();
    sweeps.push_back({all.text(1), all.text(2), WallTime{all.integer(3)}, all.integer(4), {}});
  }
  Query attempts(connection,
                 "SELECT a.uid, coalesce((SELECT min(sa.sweep) FROM sweep_attempt sa WHERE "
                 "sa.attempt = a.row), f.sweep) FROM attempt a LEFT JOIN (SELECT trial, min(sweep) "
                 "AS sweep FROM sweep_trial GROUP BY trial) f ON f.trial = a.trial");
  while (attempts.next()) {
    const auto found = place.find(attempts.integer(1));
    if (found != place.end()) sweeps[found->second].attempts.push_back(attempts.text(0));
  }
  return sweeps;
}

}  // namespace

Result<DatabaseUsage> Reader::usage() {
  return state_->ask("looking at what takes space", [&]() -> Result<DatabaseUsage> {
    DatabaseUsage usage;
    if (has_dbstat(state_->connection)) usage.parts = parts_of(state_->connection);
    usage.unused = unused_pages(state_->connection);
    usage.sweeps = sweeps_with_attempts(state_->connection);
    return usage;
  });
}

Result<std::vector<DoneAttempt>> Reader::done_before(WallTime ended, std::int64_t after_row,
                                                     std::int64_t limit) {
  return state_->ask("looking for old attempts", [&]() -> Result<std::vector<DoneAttempt>> {
    Query query(state_->connection,
                "SELECT row, uid FROM attempt WHERE row > ? AND outcome = 'done' AND ended_ns < ? "
                "ORDER BY row LIMIT ?");
    query.bind(after_row).bind(ended.ns).bind(limit);
    std::vector<DoneAttempt> attempts;
    while (query.next()) attempts.push_back({query.integer(0), query.text(1)});
    return attempts;
  });
}

}  // namespace sweepd
