// Passes rows to a function from inside SQLite, for the few queries that read every attempt. An
// aggregate function receives the values in place, at half the cost of stepping from row to row and
// fetching each column.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <exception>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

#include "db/base/connection.h"

namespace sweepd {

// "SELECT columns rest". At most kMaxColumns; `rest` begins with FROM. An ORDER BY would have no
// effect: the tables and indices that `rest` names decide the order.
struct RowSource {
  static constexpr int kMaxColumns = 100;  // SQLite allows a function 127
  std::string columns, rest;
};

// The row that is being visited. Columns count from 0.
class RowValues {
 public:
  explicit RowValues(sqlite3_value** values) : values_(values) {}
  std::int64_t integer(int column) const { return sqlite3_value_int64(values_[column]); }
  double real(int column) const {  // NULL reads as NaN
    const double value = sqlite3_value_double(values_[column]);
    // SQLite returns NULL as 0, so the type is checked only then.
    const bool null = value == 0 && sqlite3_value_type(values_[column]) == SQLITE_NULL;
    return null ? std::numeric_limits<double>::quiet_NaN() : value;
  }
  std::string_view text(int column) const {  // NULL reads as ""
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_value_text(values_[column]));
    if (bytes == nullptr) return {};
    return {bytes, static_cast<std::size_t>(sqlite3_value_bytes(values_[column]))};
  }

 private:
  sqlite3_value** values_;
};

// The result of a visitor that may stop early.
enum class Visited { kGoOn, kStop };

// One per connection, which must outlive it.
class RowVisitor {
 public:
  explicit RowVisitor(Connection& connection);
  RowVisitor(const RowVisitor&) = delete;
  RowVisitor& operator=(const RowVisitor&) = delete;

  // Calls `visit(RowValues)` for every row, or until it returns Visited::kStop. Failures, including
  // the time limit, are SQLite::Exception; an exception of `visit` is passed on unchanged.
  template <class Visit>
  void each(const RowSource& rows, Visit visit) {
    run(rows, {&visit, [](void* object, sqlite3_value** values) {
                 auto& visitor = *static_cast<Visit*>(object);
                 if constexpr (std::is_same_v<decltype(visitor(RowValues(values))), Visited>) {
                   return visitor(RowValues(values));
                 } else {
                   visitor(RowValues(values));
                   return Visited::kGoOn;
                 }
               }});
  }

 private:
  struct Sink {
    void* object = nullptr;
    Visited (*call)(void* object, sqlite3_value** values) = nullptr;
  };
  void run(const RowSource& rows, Sink sink);
  static void step(sqlite3_context* context, int count, sqlite3_value** values);
  static void finish(sqlite3_context*) {}  // the result is NULL

  Connection& connection_;
  Sink sink_;
  bool stopped_ = false;
  std::exception_ptr thrown_;
};

}  // namespace sweepd
