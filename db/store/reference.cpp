#include <fmt/format.h>

#include "db/store/state.h"

namespace sweepd {
namespace {

void insert_row(Connection& connection, std::int64_t reference, const ReferenceRow& row) {
  Query(
      connection,
      "INSERT INTO reference_row (reference, line, source, experiment, device, workload, phase, "
      "metric, unit, outcome, value, std, n, invalid) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
      "?, ?)")
      .bind_all(reference, row.line, row.source, row.experiment, row.device, row.workload,
                row.phase, row.metric, row.unit, row.outcome, row.value, row.std, row.n,
                row.invalid ? 1 : 0)
      .run();
  const std::int64_t id = connection.database().getLastInsertRowid();
  for (const auto& [name, value] : row.params) {
    Query(connection, "INSERT OR REPLACE INTO reference_param VALUES (?, ?, ?)")
        .bind_all(id, name, value)
        .run();
  }
  std::int64_t position = 0;
  for (const auto* texts : {&row.doubts, &row.remarks}) {
    for (const std::string& text : *texts) {
      Query(connection,
            "INSERT INTO reference_doubt (row, position, text, is_remark) VALUES (?, ?, ?, ?)")
          .bind_all(id, position++, text, texts == &row.remarks ? 1 : 0)
          .run();
    }
  }
}

// Returns how many rows it had; nothing if there is none of this name.
std::optional<std::int64_t> delete_reference(Connection& connection, const std::string& name) {
  Query find(connection, "SELECT id FROM reference WHERE name = ?");
  find.bind(name);
  if (!find.next()) return std::nullopt;
  const std::int64_t id = find.integer(0);
  Query count(connection, "SELECT count(*) FROM reference_row WHERE reference = ?");
  count.bind(id);
  count.next();
  const std::int64_t rows = count.integer(0);
  for (const char* table : {"reference_param", "reference_doubt"}) {
    Query(connection, fmt::format("DELETE FROM {} WHERE row IN (SELECT id FROM reference_row WHERE "
                                  "reference = ?)",
                                  table))
        .bind_all(id)
        .run();
  }
  Query(connection, "DELETE FROM reference_row WHERE reference = ?").bind_all(id).run();
  Query(connection, "DELETE FROM reference WHERE id = ?").bind_all(id).run();
  return rows;
}

}  // namespace

Result<void> Store::add_reference(const PublishedFigures& reference, WallTime now) {
  return state_->transact("adding a reference", [&]() -> Result<void> {
    Connection& connection = state_->connection;
    delete_reference(connection, reference.name);
    Query(connection, "INSERT INTO reference (name, description, added_ns) VALUES (?, ?, ?)")
        .bind_all(reference.name, reference.description, now.ns)
        .run();
    const std::int64_t id = connection.database().getLastInsertRowid();
    for (const ReferenceRow& row : reference.rows) insert_row(connection, id, row);
    return {};
  });
}

Result<std::int64_t> Store::remove_reference(const std::string& name) {
  return state_->transact("removing a reference", [&]() -> Result<std::int64_t> {
    const auto rows = delete_reference(state_->connection, name);
    if (rows) return *rows;
    return Error{ErrorCode::kNotFound, fmt::format("no reference `{}`; `sweepctl reference list` "
                                                   "has their names",
                                                   name)};
  });
}

}  // namespace sweepd
