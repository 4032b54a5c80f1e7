// A profile pass's self-checks, beside the timing pass of its trial.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

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

// Of the rank with most, by step.
double kernel_ms(Connection& connection, std::int64_t attempt, double steps) {
  if (const auto stored = number_fact(connection, attempt, "profile.kernel_ms")) return *stored;
  Query query(connection,
              "SELECT coalesce(max(ns), 0) FROM (SELECT sum(total_ns) AS ns FROM kernel "
              "WHERE attempt = ? GROUP BY rank)");
  query.bind_all(attempt);
  query.next();
  return query.real(0) / 1e6 / steps;
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
  const auto steps = std::max(1.0, number_fact(connection, attempt, "profile.steps").value_or(1));
  const auto marked = number_fact(connection, attempt, "trace.steps");  // of an imported trace
  table.add(marked == 0 ? "recorded span" : "profiled step",
            fmt::format("{:.3f} ms{}", *step_ms,
                        steps > 1 ? fmt::format(", mean of {:.0f} steps", steps) : ""));
  if (const auto timing_ms = timing_median_ms(connection, attempt)) {
    table.add("timing pass, median", fmt::format("{:.3f} ms", *timing_ms));
    table.add("overhead", fmt::format("{:+.1f} %", 100 * (*step_ms / *timing_ms - 1)));
  } else if (!marked) {
    table.add("overhead", "unknown: this trial has no timing pass on this host");
  }
  const double in_kernels_ms = kernel_ms(connection, attempt, steps);
  table.add("in kernels", fmt::format("{:.3f} ms ({:.1f} %)", in_kernels_ms,
                                      *step_ms > 0 ? 100 * in_kernels_ms / *step_ms : 0));
  if (const auto ms = number_fact(connection, attempt, "trace.outside_steps_ms"); ms > 0) {
    table.add("outside marked steps", fmt::format("{:.3f} ms, which do not count", *ms));
  }
  for (const auto& [name, fact] : {std::pair{"dropped records", "profile.dropped_records"},
                                   {"differing kernels", "profile.differing_kernels"}}) {
    if (const auto count = number_fact(connection, attempt, fact)) {
      table.add(name, fmt::format("{:.0f}", *count));
    }
  }
  return table.take();
}

}  // namespace sweepd
