#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "db/base/ending_columns.h"
#include "db/store/record.h"
#include "db/store/state.h"
#include "runner/model/vocabulary/pool_name.h"

namespace sweepd {
namespace {

struct OpenRow {
  std::int64_t trial = 0;
  Pass pass = Pass::kTiming;
  int repeat = 0;
  bool ended = false;
};

// With an id, only the attempt that has it.
Result<OpenRow> find(Connection& connection, std::int64_t row, const AttemptId& id = {}) {
  Query query(connection,
              "SELECT trial, pass, repeat, outcome IS NOT NULL FROM attempt "
              "WHERE row = ?1 AND (?2 = '' OR uid = ?2)");
  query.bind_all(row, id);
  if (!query.next()) return Error{ErrorCode::kNotFound, fmt::format("no attempt {}", row)};
  return OpenRow{query.integer(0), *pass_from(query.text(1)), static_cast<int>(query.integer(2)),
                 query.integer(3) != 0};
}

// Deletes the samples of a daemon that died while it stored them.
void forget_samples(Connection& connection, std::int64_t attempt) {
  Query(connection, "DELETE FROM sample WHERE attempt = ?").bind(attempt).run();
}

void insert_reasons(Connection& connection, const AttemptRecord& record) {
  std::int64_t position = 0;
  for (const std::string& reason : record.judgement.reasons) {
    Query(connection, "INSERT INTO attempt_reason (attempt, position, reason) VALUES (?, ?, ?)")
        .bind_all(record.row, position++, reason)
        .run();
  }
}

Result<bool> finish_one(StoreState& state, const AttemptRecord& record, std::size_t from_sample,
                        const AttemptId& id = {}) {
  Connection& connection = state.connection;
  const auto found = find(connection, record.row, id);
  if (!found) return found.error();
  if (found->ended) return false;
  if (record.started) {
    Query(connection, "UPDATE attempt SET started_ns = ? WHERE row = ?")
        .bind_all(record.started->ns, record.row)
        .run();
  }
  // The host that the environment names, if it names one: a result may come from another host.
  if (record.environment) {
    const std::int64_t host =
        insert_environment(connection, state.names, record.row, *record.environment, state.host);
    // A pool is one host, on any of its nodes.
    Query(connection,
          "UPDATE attempt SET host = ?, is_current = 0 WHERE row = ? AND host <> ?1 AND " +
              pool_of_attempt("attempt") + " = '" + std::string(kLocalPool) + "'")
        .bind_all(host, record.row)
        .run();
  }
  // A verdict is about times. For memory the only doubt is whether all of it was reported.
  const bool judged = found->pass != Pass::kMemory || record.judgement.verdict != Verdict::kValid;
  if (judged && outcome_of(record.ending) == Outcome::kDone) {
    Query(connection, "UPDATE attempt SET verdict = ? WHERE row = ?")
        .bind_all(name_of(record.judgement.verdict), record.row)
        .run();
    insert_reasons(connection, record);
  }
  set_ending(connection, record.row, record.ending, record.ended);
  if (record.work) insert_work(connection, state.names, record.row, found->trial, *record.work);
  if (from_sample == 0) forget_samples(connection, record.row);
  insert_samples(connection, state.names, record.row,
                 std::span(record.samples).subspan(from_sample));
  insert_measured(connection, state.names, record);
  return true;
}

}  // namespace

Result<std::size_t> Store::store_samples(const AttemptRecord& record, std::size_t from) {
  const std::string what = fmt::format("storing samples of attempt {}", record.row);
  return state_->transact(what, [&]() -> Result<std::size_t> {
    const auto found = find(state_->connection, record.row);
    if (!found) return found.error();
    if (found->ended) return from;
    if (from == 0) forget_samples(state_->connection, record.row);
    const std::size_t until = std::min(from + kSampleSlice, record.samples.size());
    insert_samples(state_->connection, state_->names, record.row,
                   std::span(record.samples).subspan(from, until - from));
    return until;
  });
}

Result<bool> Store::finish(const AttemptRecord& record, std::size_t from_sample) {
  const std::string what = fmt::format("storing attempt {}", record.row);
  return state_->transact(
      what, [&]() -> Result<bool> { return finish_one(*state_, record, from_sample); });
}

Result<void> Store::replace_reading(const AttemptRecord& record) {
  const std::string what = fmt::format("storing what attempt {} printed", record.row);
  return state_->transact(what, [&]() -> Result<void> {
    Connection& connection = state_->connection;
    const auto found = find(connection, record.row);
    if (!found) return found.error();
    if (!found->ended || outcome_of(record.ending) != Outcome::kDone) {
      return Error{ErrorCode::kFailedPrecondition, "it has not ended as `done`"};
    }
    for (const char* table : {"sample", "summary", "fact", "attempt_reason"}) {
      Query(connection, fmt::format("DELETE FROM {} WHERE attempt = ?", table))
          .bind(record.row)
          .run();
    }
    Query(connection, "UPDATE attempt SET verdict = ? WHERE row = ?")
        .bind_all(name_of(record.judgement.verdict), record.row)
        .run();
    insert_reasons(connection, record);
    insert_samples(connection, state_->names, record.row, record.samples);
    AttemptRecord read;
    read.row = record.row;
    read.summaries = record.summaries;
    read.facts = record.facts;
    insert_measured(connection, state_->names, read);
    return {};
  });
}

Result<std::vector<bool>> Store::finish_all(const std::vector<AttemptRecord>& records,
                                            const std::vector<AttemptId>& ids) {
  const std::string what = fmt::format("storing {} attempts", records.size());
  return state_->transact(what, [&]() -> Result<std::vector<bool>> {
    std::vector<bool> stored;
    for (std::size_t i = 0; i < records.size(); ++i) {
      const auto one = finish_one(*state_, records[i], 0, ids.empty() ? AttemptId() : ids[i]);
      if (!one && one.error().code != ErrorCode::kNotFound) return one.error();
      stored.push_back(one && *one);
    }
    return stored;
  });
}

}  // namespace sweepd
