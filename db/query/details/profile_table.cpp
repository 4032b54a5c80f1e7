// A profile pass's self-checks, beside the timing pass of its trial.
#include <fmt/format.h>

#include <optional>

#include "db/query/details/detail_tables.h"
#include "db/query/details/kernel_tables.h"

namespace sweepd {
namespace {

std::optional<double> number_fact(Connection& connection, std::int64_t attempt, const char* name) {
  Query query(connection,
              "SELECT max(f.number) FROM fact f JOIN name n ON n.id = f.name "
              "WHERE f.attempt = ? AND n.text = ?");
  query.bind_all(attempt, name);
  return query.next() ? query.maybe_real(0) : std::nullopt;
}

// Returns the median step of the current timing pass of the same trial on the same host.
std::optional<double> timing_median_ms(Connection& connection, std::int64_t attempt) {
  Query query(connection,
              "SELECT s.median FROM attempt p JOIN attempt t ON t.trial = p.trial AND "
              "t.host = p.host AND t.pass = 'timing' AND t.is_current = 1 "
              "JOIN summary s ON s.attempt = t.row JOIN name m ON m.id = s.metric "
              "JOIN name h ON h.id = s.phase WHERE p.row = ? AND t.outcome = 'done' AND "
              "m.text = 'time' AND h.text = 'step' ORDER BY t.repeat LIMIT 1");
  query.bind(attempt);
  return query.next() ? query.maybe_real(0) : std::nullopt;
}

}  // namespace

Table profile_table(Connection& connection, std::int64_t attempt) {
  PropertyTable table("Profile");
  const auto step_ms = number_fact(connection, attempt, "profile.step_ms");
  if (!step_ms) return table.take();
  const auto fact = [&](const char* name) {
    return number_fact(connection, attempt, name).value_or(0);
  };
  table.add("profiled step", fmt::format("{:.3f} ms", *step_ms));
  if (const auto timing_ms = timing_median_ms(connection, attempt)) {
    table.add("timing pass, median", fmt::format("{:.3f} ms", *timing_ms));
    table.add("overhead", fmt::format("{:+.1f} %", 100 * (*step_ms / *timing_ms - 1)));
  } else {
    table.add("overhead", "unknown: this trial has no timing pass on this host");
  }
  table.add("in kernels", fmt::format("{:.3f} ms ({:.1f} %)", fact("profile.kernel_ms"),
                                      100 * fact("profile.kernel_ms") / *step_ms));
  table.add("dropped records", fmt::format("{:.0f}", fact("profile.dropped_records")));
  table.add("differing kernels", fmt::format("{:.0f}", fact("profile.differing_kernels")));
  return table.take();
}

}  // namespace sweepd
