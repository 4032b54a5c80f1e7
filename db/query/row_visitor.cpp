#include "db/query/row_visitor.h"

#include <memory>
#include <utility>

namespace sweepd {
namespace {

struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};

}  // namespace

RowVisitor::RowVisitor(Connection& connection) : connection_(connection) {
  sqlite3* handle = connection.database().getHandle();
  const int code =
      sqlite3_create_function_v2(handle, "visit_row", -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, this,
                                 nullptr, &RowVisitor::step, &RowVisitor::finish, nullptr);
  if (code != SQLITE_OK) throw SQLite::Exception(handle, code);
}

void RowVisitor::run(const RowSource& rows, Sink sink) {
  connection_.check_timer();
  sqlite3* handle = connection_.database().getHandle();
  const std::string sql = "SELECT visit_row(" + rows.columns + ") " + rows.rest;
  sqlite3_stmt* prepared = nullptr;
  const int refused = sqlite3_prepare_v2(handle, sql.c_str(), -1, &prepared, nullptr);
  const std::unique_ptr<sqlite3_stmt, Finalize> statement(prepared);
  if (refused != SQLITE_OK) throw SQLite::Exception(handle, refused);
  const Sink outer = std::exchange(sink_, sink);
  const int code = sqlite3_step(statement.get());
  sink_ = outer;
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  if (std::exchange(stopped_, false)) return;
  if (code != SQLITE_ROW) throw SQLite::Exception(handle, code);
}

// No exception may pass through SQLite.
void RowVisitor::step(sqlite3_context* context, int, sqlite3_value** values) {
  auto& self = *static_cast<RowVisitor*>(sqlite3_user_data(context));
  try {
    if (self.sink_.call(self.sink_.object, values) == Visited::kGoOn) return;
    self.stopped_ = true;
    sqlite3_result_error(context, "enough", -1);  // there is no other way to end the statement
  } catch (...) {
    self.thrown_ = std::current_exception();
    sqlite3_result_error(context, "a visitor failed", -1);
  }
}

}  // namespace sweepd
