#include "db/base/older_result.h"

#include <fmt/format.h>

namespace sweepd {

std::string same_code_and_machine(std::string_view attempt) {
  return fmt::format(
      "coalesce((SELECT coalesce(nullif(?, '') = code, 1) AND coalesce(nullif(?, '') = "
      "nullif(machine, ''), 1) FROM environment WHERE id = {}.environment), 1)",
      attempt);
}

OlderResults::OlderResults(Connection& connection, const WorkloadDef& def)
    : connection_(connection), def_(def), params_(connection, def) {}

std::optional<OlderResult> OlderResults::find(const TrialKey& key, const std::string& base_key,
                                              std::string_view pass, std::int64_t repeat,
                                              std::int64_t host) {
  std::int64_t trial = 0;
  OlderResult older;
  {
    // Results from before programs were recorded have the base key as their key.
    Query query(connection_,
                "SELECT a.trial, a.ended_ns, e.code, e.machine, e.machine_facts FROM trial t JOIN "
                "attempt a ON a.trial = t.id "
                "LEFT JOIN environment e ON e.id = a.environment WHERE (t.key = ?1 OR t.key = ?2 "
                "OR t.base_key = ?2) AND a.outcome = 'done' AND a.pass = ?3 AND a.repeat = ?4 AND "
                "a.host = ?5 ORDER BY t.key = ?1 DESC, a.ended_ns DESC LIMIT 1");
    query.bind_all(key, base_key, pass, repeat, host);
    if (!query.next()) return std::nullopt;
    trial = query.integer(0);
    older.ended = WallTime{query.integer(1)};
    if (!query.is_null(2)) {
      older.code = query.text(2);
      older.machine = {query.text(3), query.text(4)};
    }
  }
  if (const auto computed = def_.computed_param()) {
    const auto stored = params_.read(trial);
    older.code = stored ? def_.params[*computed].text(stored->values[*computed]) : "";
  }
  return older;
}

void count_change(Changes& changes, const OlderResult& older, const WorkloadDef& def,
                  const Trial& trial, const MachineId& machine_now) {
  const auto computed = def.computed_param();
  changes.add(older, computed ? def.params[*computed].text(trial.values[*computed]) : def.code,
              machine_now, computed ? "the program" : def.name);
}

}  // namespace sweepd
