#include <fmt/format.h>

#include <algorithm>

#include "db/base/ending_columns.h"
#include "db/base/held.h"
#include "db/base/pool_hosts.h"
#include "db/query/state.h"

namespace sweepd {
namespace {

std::string attempt_select() {
  return "SELECT a.row, a.uid, t.key, t.id, t.workload, a.pass, a.repeat, a.started_ns, "
         "a.ended_ns, a.verdict, ph.pool, a.outcome IS NULL AND " +
         left_queue_ns("a") + " IS NULL AND " + is_held("a") + ", " + ending_select("a") +
         " FROM attempt a JOIN trial t ON t.id = a.trial JOIN host ph ON ph.id = a.host ";
}

std::string reasons_of(Connection& connection, std::int64_t attempt) {
  std::string all;
  Query query(connection, "SELECT reason FROM attempt_reason WHERE attempt = ? ORDER BY position");
  query.bind(attempt);
  while (query.next()) all += (all.empty() ? "" : "; ") + query.text(0);
  return all;
}

std::optional<WallTime> maybe_time(const Query& query, int column) {
  const auto ns = query.maybe_integer(column);
  if (!ns) return std::nullopt;
  return WallTime{*ns};
}

AttemptRow read_attempt(ReaderState& state, Labels& labels, const Query& query) {
  AttemptRow row;
  row.row = query.integer(0);
  row.id = query.text(1);
  row.trial_key = query.text(2);
  row.workload = query.text(4);
  row.pool = query.text(10);
  row.label = labels.of(row.row, query.integer(3), row.pool, row.workload);
  row.pass = *pass_from(query.text(5));
  row.repeat = static_cast<int>(query.integer(6));
  row.started = maybe_time(query, 7);
  row.ended = maybe_time(query, 8);
  row.verdict = query.text(9);
  row.state = row.started ? "running" : "queued";
  if (const auto ending = read_ending(query, 12)) {
    row.state = name_of(outcome_of(*ending));
    row.detail = describe(*ending);
  }
  if (query.integer(11) != 0) row.detail = "its sweep is paused";
  if (!row.verdict.empty()) row.verdict_reasons = reasons_of(state.connection, row.row);
  return row;
}

std::vector<AttemptRow> read_attempts(ReaderState& state, Query& query,
                                      std::optional<std::int64_t> sweep = std::nullopt) {
  std::vector<AttemptRow> attempts;
  Labels labels(state, sweep);
  while (query.next()) attempts.push_back(read_attempt(state, labels, query));
  return attempts;
}

}  // namespace

Result<AttemptRow> attempt_row(ReaderState& state, std::int64_t row) {
  Labels labels(state);
  Query query(state.connection, attempt_select() + "WHERE a.row = ?");
  query.bind(row);
  if (query.next()) return read_attempt(state, labels, query);
  return Error{ErrorCode::kNotFound, fmt::format("no attempt {}", row)};
}

Result<TrialRef> trial_by_prefix(ReaderState& state, const std::string& prefix) {
  constexpr std::size_t kFewestDigits = 4;
  if (!is_id(prefix) || prefix.size() < kFewestDigits) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("`{}` is not a trial's key; expected {} hex digits or more", prefix,
                             kFewestDigits)};
  }
  std::vector<std::string> keys;
  TrialRef found;
  Query query(state.connection,
              "SELECT id, key, workload, version FROM trial WHERE key >= ?1 AND key < ?1 || 'g'");
  query.bind(prefix);
  while (query.next()) {
    found = {query.integer(0), query.text(1), query.text(2), query.integer(3)};
    keys.push_back(found.key);
  }
  if (keys.size() == 1) return found;
  if (keys.empty()) {
    return Error{ErrorCode::kNotFound, fmt::format("no trial's key begins with `{}`", prefix)};
  }
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("`{}` could be {}; give more digits", prefix, some_of(keys))};
}

Result<std::vector<AttemptRow>> Reader::attempts_of_sweep(const SweepId& sweep,
                                                          std::int64_t limit) {
  return state_->ask("listing attempts", [&]() -> Result<std::vector<AttemptRow>> {
    const auto row = sweep_row(*state_, sweep);
    if (!row) return row.error();
    Query query(
        state_->connection,
        attempt_select() +
            "JOIN sweep_attempt sa ON sa.attempt = a.row "
            "JOIN sweep_trial st ON st.sweep = sa.sweep AND st.trial = a.trial AND st.pool "
            "= ph.pool WHERE sa.sweep = ? ORDER BY st.position, a.pass DESC, a.repeat LIMIT ?");
    query.bind_all(*row, limit > 0 ? limit : -1);
    return read_attempts(*state_, query, *row);
  });
}

Result<std::vector<AttemptRow>> Reader::last_problems(const SweepId& sweep, std::int64_t limit) {
  return state_->ask("listing attempts", [&]() -> Result<std::vector<AttemptRow>> {
    const auto row = sweep_row(*state_, sweep);
    if (!row) return row.error();
    Query query(state_->connection,
                attempt_select() +
                    "JOIN sweep_attempt sa ON sa.attempt = a.row "
                    "WHERE sa.sweep = ? AND a.outcome NOT IN ('done', 'cancelled') "
                    "ORDER BY a.ended_ns DESC, a.row DESC LIMIT ?");
    query.bind_all(*row, limit);
    auto attempts = read_attempts(*state_, query, *row);
    std::ranges::reverse(attempts);
    return attempts;
  });
}

Result<std::vector<AttemptRow>> Reader::attempts_of_trial(const std::string& key_prefix) {
  return state_->ask("listing attempts", [&]() -> Result<std::vector<AttemptRow>> {
    const auto trial = trial_by_prefix(*state_, key_prefix);
    if (!trial) return trial.error();
    Query query(state_->connection,
                attempt_select() + "WHERE a.trial = ? ORDER BY a.pass DESC, a.repeat, a.row");
    query.bind(trial->id);
    return read_attempts(*state_, query);
  });
}

Result<AttemptRow> Reader::find_attempt(const std::string& id_prefix) {
  constexpr std::size_t kFewestDigits = 4;
  return state_->ask("finding an attempt", [&]() -> Result<AttemptRow> {
    if (!is_id(id_prefix) || id_prefix.size() < kFewestDigits) {
      Query sweep(state_->connection, "SELECT 1 FROM sweep WHERE name = ? LIMIT 1");
      sweep.bind(id_prefix);
      const bool is_sweep = sweep.next();
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("`{}` is {}; expected {} hex digits or more of an attempt's id, as "
                               "`sweepctl show {}` lists them",
                               id_prefix, is_sweep ? "a sweep" : "not an attempt's id",
                               kFewestDigits, is_sweep ? id_prefix : "SWEEP")};
    }
    Labels labels(*state_);
    std::vector<AttemptRow> found;
    Query query(state_->connection, attempt_select() + "WHERE a.uid >= ?1 AND a.uid < ?1 || 'g'");
    query.bind(id_prefix);
    while (query.next()) found.push_back(read_attempt(*state_, labels, query));
    if (found.size() == 1) return found.front();
    if (found.empty()) {
      return Error{ErrorCode::kNotFound,
                   fmt::format("no attempt's id begins with `{}`", id_prefix)};
    }
    std::vector<std::string> ids;
    for (const AttemptRow& row : found) ids.push_back(row.id);
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("`{}` could be {}; give more digits", id_prefix, some_of(ids))};
  });
}

}  // namespace sweepd
