#include <map>
#include <string>
#include <tuple>

#include "db/query/state.h"

namespace sweepd {
namespace {

// Attempts that were timed, with one row for each device.
constexpr const char* kSpanSql =
    "SELECT a.row, a.started_ns, a.ended_ns, ad.device FROM attempt a "
    "JOIN attempt_device ad ON ad.attempt = a.row WHERE a.outcome = 'done' AND "
    "a.started_ns IS NOT NULL AND a.pass IN ('timing', 'profile') AND ";

void read_spans(Query& query, std::map<std::int64_t, AttemptSpan>& spans) {
  while (query.next()) {
    AttemptSpan& span = spans[query.integer(0)];
    span.started = WallTime{query.integer(1)};
    span.ended = WallTime{query.integer(2)};
    span.devices.push_back(query.integer(3));
  }
}

std::vector<AttemptSpan> listed(std::map<std::int64_t, AttemptSpan>&& by_row) {
  std::vector<AttemptSpan> spans;
  for (auto& [row, span] : by_row) spans.push_back(std::move(span));
  return spans;
}

}  // namespace

Result<std::vector<SentinelSeries>> Reader::sentinel_series() {
  return state_->ask("reading sentinels", [&]() -> Result<std::vector<SentinelSeries>> {
    std::map<std::tuple<std::int64_t, std::int64_t, std::string, std::string>, SentinelSeries> all;
    // CROSS JOIN fixes the order of the loops. The planner would begin with all summaries, and
    // every table runs this query.
    Query query(state_->connection,
                "SELECT ad.device, a.trial, e.code, e.torch_version, m.median, a.started_ns, "
                "a.ended_ns FROM sweep s CROSS JOIN sweep_attempt sa ON sa.sweep = s.id "
                "CROSS JOIN attempt a ON a.row = sa.attempt "
                "CROSS JOIN attempt_device ad ON ad.attempt = a.row AND ad.rank = 0 "
                "CROSS JOIN environment e ON e.id = a.environment "
                "CROSS JOIN summary m ON m.attempt = a.row AND "
                "m.metric = (SELECT id FROM name WHERE text = 'time') AND "
                "m.phase = (SELECT id FROM name WHERE text = 'step') "
                "WHERE s.sentinel_of IS NOT NULL AND a.outcome = 'done' AND m.median > 0 AND "
                "a.verdict IS NOT 'invalid' AND a.started_ns IS NOT NULL ORDER BY a.started_ns");
    while (query.next()) {
      SentinelSeries& series =
          all[{query.integer(0), query.integer(1), query.text(2), query.text(3)}];
      series.device = query.integer(0);
      series.runs.push_back(
          {query.real(4), WallTime{query.integer(5)}, WallTime{query.integer(6)}});
    }
    std::vector<SentinelSeries> result;
    for (auto& [key, series] : all) result.push_back(std::move(series));
    return result;
  });
}

Result<std::vector<AttemptSpan>> Reader::spans_of(const std::vector<AttemptId>& attempts) {
  return state_->ask("reading when attempts ran", [&]() -> Result<std::vector<AttemptSpan>> {
    std::map<std::int64_t, AttemptSpan> spans;
    Query query(state_->connection, std::string(kSpanSql) + "a.uid = ?");
    for (const AttemptId& attempt : attempts) {
      query.rewind();
      query.bind(attempt);
      read_spans(query, spans);
    }
    return listed(std::move(spans));
  });
}

Result<std::vector<AttemptSpan>> Reader::spans_of_sweep(const SweepId& sweep) {
  return state_->ask("reading when attempts ran", [&]() -> Result<std::vector<AttemptSpan>> {
    const auto row = sweep_row(*state_, sweep);
    if (!row) return row.error();
    std::map<std::int64_t, AttemptSpan> spans;
    Query query(
        state_->connection,
        std::string(kSpanSql) + "a.row IN (SELECT attempt FROM sweep_attempt WHERE sweep = ?)");
    query.bind(*row);
    read_spans(query, spans);
    return listed(std::move(spans));
  });
}

}  // namespace sweepd
