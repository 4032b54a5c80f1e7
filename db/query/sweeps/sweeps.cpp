#include <fmt/format.h>

#include "db/query/state.h"
#include "runner/base/text.h"

namespace sweepd {
namespace {

constexpr std::size_t kFewestDigits = 4;  // of an id that a user types

void count(AttemptCounts& counts, const std::string& state, std::int64_t n) {
  counts.total += n;
  if (state == "queued") {
    counts.queued += n;
  } else if (state == "running") {
    counts.running += n;
  } else if (const auto outcome = find_outcome(state)) {
    counts.by_outcome[static_cast<std::size_t>(*outcome)] += n;
    counts.ended += n;
  }
}

AttemptCounts counts_of(Connection& connection, std::int64_t sweep) {
  AttemptCounts counts;
  Query query(connection, "SELECT what, n FROM sweep_count WHERE sweep = ? AND what <> 'trials'");
  query.bind(sweep);
  while (query.next()) count(counts, query.text(0), query.integer(1));
  return counts;
}

// Another machine's file may have texts of any length, and a list has all of them.
constexpr const char* kSweepColumns =
    "SELECT s.id, s.uid, substr(s.name, 1, 256), substr(s.description, 1, 1048576), "
    "substr(s.workload, 1, 256), s.submitted_ns, "
    "s.cancelled_ns IS NOT NULL, coalesce((SELECT n FROM sweep_count WHERE sweep = s.id AND what = "
    "'trials'), 0), s.paused_ns FROM sweep s ";

SweepRow read_sweep(Connection& connection, const Query& query) {
  SweepRow row;
  row.id = query.text(1);
  row.name = query.text(2);
  row.description = query.text(3);
  row.workload = query.text(4);
  row.submitted = WallTime{query.integer(5)};
  row.cancelled = query.integer(6) != 0;
  row.trials = query.integer(7);
  if (const auto paused = query.maybe_integer(8)) row.paused = WallTime{*paused};
  row.counts = counts_of(connection, query.integer(0));
  return row;
}

std::optional<SweepRow> one_sweep(Connection& connection, const std::string& condition,
                                  const std::string& value) {
  Query query(connection, kSweepColumns + condition);
  query.bind(value);
  if (!query.next()) return std::nullopt;
  return read_sweep(connection, query);
}

Error no_such_sweep(Connection& connection, const std::string& who) {
  std::vector<std::string> names;
  Query query(
      connection,
      "SELECT substr(name, 1, 256) FROM sweep GROUP BY name ORDER BY max(id) DESC LIMIT 1000");
  while (query.next()) names.push_back(query.text(0));
  if (names.empty())
    return {ErrorCode::kNotFound, fmt::format("no sweep `{}`; there is none yet", who)};
  return {ErrorCode::kNotFound,
          fmt::format("no sweep has the id or name `{}`{}", who, did_you_mean(who, names))};
}

Result<SweepRow> by_prefix(Connection& connection, const std::string& who) {
  if (!is_id(who)) return no_such_sweep(connection, who);
  std::vector<std::string> candidates;
  std::string id;
  {
    // 'g' sorts after every hex digit, so the unique index finds the range.
    Query query(connection,
                "SELECT uid, substr(name, 1, 256) FROM sweep WHERE uid >= ?1 AND uid < ?1 || 'g'");
    query.bind(who);
    while (query.next()) {
      id = query.text(0);
      candidates.push_back(fmt::format("{} ({})", id, query.text(1)));
    }
  }
  if (candidates.empty()) return no_such_sweep(connection, who);
  if (who.size() < kFewestDigits) {
    return Error{
        ErrorCode::kInvalidArgument,
        fmt::format("`{}` is too short for an id; expected {} digits or more", who, kFewestDigits)};
  }
  if (candidates.size() > 1) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("`{}` could be {}; give more digits", who, some_of(candidates))};
  }
  return *one_sweep(connection, "WHERE s.uid = ?", id);
}

// Returns the id of a sweep with another name whose id begins with `who`.
std::optional<std::string> id_of_another(Connection& connection, const std::string& who) {
  if (!is_id(who) || who.size() < kFewestDigits) return std::nullopt;
  Query query(connection,
              "SELECT uid FROM sweep WHERE uid >= ?1 AND uid < ?1 || 'g' AND name <> ?1 LIMIT 1");
  query.bind(who);
  if (!query.next()) return std::nullopt;
  return query.text(0);
}

constexpr std::string_view kPrevious = "@previous";

Result<SweepRow> by_id_or_name(Connection& connection, const std::string& who) {
  if (who.empty()) {
    if (auto latest = one_sweep(
            connection,
            "WHERE ? = '' AND s.sentinel_of IS NULL ORDER BY s.submitted_ns DESC, s.id DESC "
            "LIMIT 1",
            who))
      return *latest;
    return Error{ErrorCode::kNotFound, "there is no sweep yet; `sweepctl submit FILE` makes one"};
  }
  if (auto exact = one_sweep(connection, "WHERE s.uid = ?", who)) return *exact;
  auto named = one_sweep(connection,
                         "WHERE s.name = ? ORDER BY s.submitted_ns DESC, s.id DESC LIMIT 1", who);
  if (!named) return by_prefix(connection, who);
  // A name of hex digits may also be the beginning of another sweep's id, and `cancel` should not
  // guess.
  const auto other = id_of_another(connection, who);
  if (!other) return *named;
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("`{}` is the name of sweep {} and the beginning of the id {}; give "
                           "more digits of one of them",
                           who, named->id, *other)};
}

}  // namespace

Result<SweepRow> find_sweep(ReaderState& state, const std::string& who) {
  Connection& connection = state.connection;
  if (!who.ends_with(kPrevious)) return by_id_or_name(connection, who);
  const auto later = find_sweep(state, who.substr(0, who.size() - kPrevious.size()));
  if (!later) return later.error();
  auto previous = one_sweep(
      connection,
      "WHERE s.id = (SELECT p.id FROM sweep l JOIN sweep p ON p.name = l.name AND (p.submitted_ns, "
      "p.id) < (l.submitted_ns, l.id) WHERE l.uid = ? ORDER BY p.submitted_ns DESC, p.id DESC "
      "LIMIT 1)",
      later->id);
  if (previous) return *previous;
  return Error{ErrorCode::kNotFound, fmt::format("no sweep `{}` was submitted before {}",
                                                 later->name, short_id(later->id))};
}

Result<std::int64_t> sweep_row(ReaderState& state, const SweepId& sweep) {
  Query query(state.connection, "SELECT id FROM sweep WHERE uid = ?");
  query.bind(sweep);
  if (query.next()) return query.integer(0);
  return no_such_sweep(state.connection, sweep);
}

Result<std::vector<SweepRow>> Reader::sweeps(std::int64_t limit) {
  return state_->ask("listing sweeps", [&]() -> Result<std::vector<SweepRow>> {
    std::vector<SweepRow> rows;
    Query query(state_->connection,
                std::string(kSweepColumns) + "ORDER BY s.submitted_ns DESC, s.id DESC LIMIT ?");
    query.bind(limit > 0 ? limit : -1);
    while (query.next()) rows.push_back(read_sweep(state_->connection, query));
    return rows;
  });
}

Result<SweepRow> Reader::find_sweep(const std::string& who) {
  return state_->ask("finding a sweep", [&] { return sweepd::find_sweep(*state_, who); });
}

Result<AttemptCounts> Reader::progress(const SweepId& sweep) {
  return state_->ask("counting attempts", [&]() -> Result<AttemptCounts> {
    const auto row = sweep_row(*state_, sweep);
    if (!row) return row.error();
    return counts_of(state_->connection, *row);
  });
}

Result<bool> Reader::is_paused(const SweepId& sweep) {
  return state_->ask("reading a sweep", [&]() -> Result<bool> {
    Query query(state_->connection, "SELECT paused_ns IS NOT NULL FROM sweep WHERE uid = ?");
    query.bind(sweep);
    if (!query.next()) return no_such_sweep(state_->connection, sweep);
    return query.integer(0) != 0;
  });
}

Result<std::optional<Notification>> Reader::notification_of(const SweepId& sweep) {
  return state_->ask("reading a sweep", [&]() -> Result<std::optional<Notification>> {
    Query query(
        state_->connection,
        "SELECT n.command, n.begun_ns, n.ended_ns, n.problem FROM notification n JOIN sweep "
        "s ON s.id = n.sweep WHERE s.uid = ?");
    query.bind(sweep);
    if (!query.next()) return std::optional<Notification>();
    Notification found{query.text(0), query.text(3), {}, {}};
    if (const auto ns = query.maybe_integer(1)) found.begun = WallTime{*ns};
    if (const auto ns = query.maybe_integer(2)) found.ended = WallTime{*ns};
    return std::optional(std::move(found));
  });
}

Result<std::string> Reader::source_of(const SweepId& sweep) {
  return state_->ask("reading a sweep", [&]() -> Result<std::string> {
    const auto row = sweep_row(*state_, sweep);
    if (!row) return row.error();
    Query query(state_->connection, "SELECT source FROM sweep WHERE id = ?");
    query.bind(*row);
    query.next();
    return query.text(0);
  });
}

}  // namespace sweepd
