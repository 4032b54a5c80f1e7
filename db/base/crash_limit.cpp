#include "db/base/crash_limit.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "db/base/older_result.h"
#include "runner/base/text.h"

namespace sweepd {
namespace {

// A condition on an attempt `k`, equivalent to `killed_its_worker`.
std::string killed_its_worker_sql() {
  std::vector<std::string> polite;
  for (const int signal : kPoliteSignals) polite.push_back(std::to_string(signal));
  return fmt::format("(k.outcome = 'crashed' AND k.signal NOT IN ({}))", join(polite, ", "));
}

}  // namespace

Crashes crashes_of(Connection& connection, const WorkloadDef& def, std::int64_t trial,
                   std::string_view pass, std::int64_t host, const std::string& machine) {
  // Ordered by row, which does not depend on the clock.
  static const std::string kSql =
      "SELECT k.signal, k.uid FROM attempt k WHERE k.trial = ?1 AND k.pass = ?2 AND k.host = ?3 "
      "AND " +
      killed_its_worker_sql() +
      " AND k.row >= (SELECT coalesce(max(d.row), 0) FROM attempt d WHERE d.trial = ?1 AND "
      "d.pass = ?2 AND d.host = ?3 AND (d.outcome = 'done' OR d.insisted = 1)) AND " +
      same_code_and_machine("k") + " ORDER BY k.row DESC";
  Query query(connection, kSql);
  query.bind_all(trial, pass, host, def.code, machine);
  Crashes crashes;
  while (query.next()) {
    if (crashes.count++ > 0) continue;
    crashes.signal = static_cast<int>(query.integer(0));
    crashes.last = query.text(1);
  }
  return crashes;
}

}  // namespace sweepd
