#include <fmt/format.h>

#include "db/base/references.h"
#include "db/store/state.h"

namespace sweepd {
namespace {

// Temporary tables list the rows to delete; the statements below join them.
void make_doomed_tables(Connection& connection) {
  for (const char* table : {"doomed_sweep", "doomed_trial", "doomed_attempt"}) {
    connection.execute(
        fmt::format("CREATE TEMP TABLE IF NOT EXISTS {} (id INTEGER PRIMARY KEY)", table));
    connection.execute(fmt::format("DELETE FROM temp.{}", table));
  }
}

Result<void> doom_sweeps(Connection& connection, const std::vector<SweepId>& sweeps) {
  for (const SweepId& sweep : sweeps) {
    const auto row = sweep_row(connection, sweep);
    if (!row) return row.error();
    Query(connection,
          "INSERT OR IGNORE INTO temp.doomed_sweep SELECT id FROM sweep WHERE id = ?1 OR "
          "sentinel_of = (SELECT uid FROM sweep WHERE id = ?1)")
        .bind_all(*row)
        .run();
  }
  return {};
}

void doom_what_only_they_have(Connection& connection) {
  connection.execute(
      "INSERT INTO temp.doomed_trial SELECT trial FROM sweep_trial WHERE sweep IN "
      "temp.doomed_sweep EXCEPT SELECT trial FROM sweep_trial WHERE sweep NOT IN "
      "temp.doomed_sweep");
  connection.execute(
      "INSERT INTO temp.doomed_attempt SELECT row FROM attempt WHERE trial IN temp.doomed_trial");
}

std::int64_t count(Connection& connection, const std::string& sql) {
  Query query(connection, "SELECT count(*) FROM " + sql);
  query.next();
  return query.integer(0);
}

// An attempt that no sweep has runs until the daemon has ended it.
Result<void> check_that_nothing_runs(Connection& connection) {
  Query query(connection,
              "SELECT a.uid FROM temp.doomed_attempt d JOIN attempt a ON a.row = d.id WHERE "
              "a.outcome IS NULL LIMIT 1");
  if (!query.next()) return {};
  return Error{ErrorCode::kFailedPrecondition,
               fmt::format("attempt {} of its trials has not ended; wait until it has",
                           short_id(query.text(0)))};
}

// Refuses a sweep with open attempts, also when another sweep shares their trials. A cancelled
// sweep has ended once its open attempts all belong to other sweeps, which keep them.
Result<void> check_has_ended(Connection& connection) {
  Query query(connection,
              "SELECT s.name, s.uid, count(*), s.paused_ns IS NOT NULL, s.cancelled_ns IS NOT NULL "
              "FROM temp.doomed_sweep d JOIN sweep s ON s.id = d.id JOIN sweep_attempt sa ON "
              "sa.sweep = d.id JOIN attempt a ON a.row = sa.attempt WHERE a.outcome IS NULL AND "
              "(s.cancelled_ns IS NULL OR NOT EXISTS (SELECT 1 FROM sweep_attempt so JOIN sweep o "
              "ON o.id = so.sweep WHERE so.attempt = a.row AND o.cancelled_ns IS NULL AND o.id NOT "
              "IN temp.doomed_sweep)) GROUP BY s.id LIMIT 1");
  if (!query.next()) return check_that_nothing_runs(connection);
  const std::string id(short_id(query.text(1)));
  const std::string cancel = ", or cancel it first: sweepctl cancel " + id;
  return Error{
      ErrorCode::kFailedPrecondition,
      fmt::format("sweep {} ({}) has {} queued or running; {}", query.text(0), id,
                  query.integer(2) == 1 ? std::string("an attempt that is")
                                        : fmt::format("{} attempts that are", query.integer(2)),
                  query.integer(4) != 0   ? "it is cancelled, so wait until it has ended"
                  : query.integer(3) != 0 ? "it is paused, so resume it and wait" + cancel
                                          : "wait until it has ended" + cancel)};
}

// A merge refers to its sweeps by row, whose numbers the next sweep would get.
Result<void> check_is_not_merged(Connection& connection) {
  if (!Query(connection, "SELECT 1 FROM temp.sqlite_schema WHERE name = 'merge_sweep'").next()) {
    return {};
  }
  Query query(connection,
              "SELECT s.name, s.uid FROM temp.merge_sweep m JOIN temp.doomed_sweep d ON d.id = "
              "m.new JOIN sweep s ON s.id = d.id LIMIT 1");
  if (!query.next()) return {};
  return Error{ErrorCode::kFailedPrecondition,
               fmt::format("sweep {} ({}) is being merged; wait until the merge ends",
                           query.text(0), short_id(query.text(1)))};
}

Store::DeleteReceipt receipt_of(Connection& connection) {
  Store::DeleteReceipt receipt;
  Query sweeps(connection,
               "SELECT s.uid FROM temp.doomed_sweep d JOIN sweep s ON s.id = d.id ORDER BY s.id");
  while (sweeps.next()) receipt.sweeps.push_back(sweeps.text(0));
  Query attempts(connection,
                 "SELECT a.uid FROM temp.doomed_attempt d JOIN attempt a ON a.row = d.id");
  while (attempts.next()) receipt.attempts.push_back(attempts.text(0));
  receipt.trials = count(connection, "temp.doomed_trial");
  receipt.samples = count(connection, "sample WHERE attempt IN temp.doomed_attempt");
  receipt.trials_kept = count(
      connection,
      "(SELECT DISTINCT trial FROM sweep_trial WHERE sweep IN temp.doomed_sweep AND trial NOT IN "
      "temp.doomed_trial)");
  return receipt;
}

// A row that refers to a deleted one by a nullable column stays: a device keeps its peak without
// the attempt that measured it.
void delete_rows(Connection& connection, const std::string& table, const std::string& key,
                 const std::string& doomed) {
  for (const Reference& from : references_to(connection, table, key)) {
    const std::string where = fmt::format("WHERE {} IN temp.{}", sql_name(from.column), doomed);
    connection.execute(from.optional
                           ? fmt::format("UPDATE {} SET {} = NULL {}", sql_name(from.table),
                                         sql_name(from.column), where)
                           : fmt::format("DELETE FROM {} {}", sql_name(from.table), where));
  }
  connection.execute(fmt::format("DELETE FROM {} WHERE {} IN temp.{}", table, key, doomed));
}

}  // namespace

Result<Store::DeleteReceipt> Store::delete_sweeps(
    const std::vector<SweepId>& sweeps, Deletion deletion,
    const std::function<void(const DeleteReceipt&)>& before) {
  Connection& connection = state_->connection;
  return state_->transact("deleting sweeps", [&]() -> Result<DeleteReceipt> {
    make_doomed_tables(connection);
    if (auto doomed = doom_sweeps(connection, sweeps); !doomed) return doomed.error();
    doom_what_only_they_have(connection);
    if (auto ended = check_has_ended(connection); !ended) return ended.error();
    if (auto merged = check_is_not_merged(connection); !merged) return merged.error();
    DeleteReceipt receipt = receipt_of(connection);
    if (deletion == Deletion::kForReal) {
      if (before) before(receipt);
      // Rows may then be deleted in any order; the commit fails if anything refers to none.
      connection.execute("PRAGMA defer_foreign_keys = ON");
      delete_rows(connection, "attempt", "row", "doomed_attempt");
      delete_rows(connection, "trial", "id", "doomed_trial");
      delete_rows(connection, "sweep", "id", "doomed_sweep");
    }
    make_doomed_tables(connection);  // empties them
    return receipt;
  });
}

Result<std::vector<SweepId>> Store::sweep_ids() {
  return state_->transact("listing sweeps", [&]() -> Result<std::vector<SweepId>> {
    std::vector<SweepId> ids;
    Query sweeps(state_->connection, "SELECT uid FROM sweep ORDER BY uid");
    while (sweeps.next()) ids.push_back(sweeps.text(0));
    return ids;
  });
}

}  // namespace sweepd
