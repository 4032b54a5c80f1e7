// A statement read row by row at the price of SQLite's own calls: for the few questions that look
// at every attempt. One use, forward only; columns count from 0. Failures are SQLite::Exception.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "db/connection.h"

struct sqlite3_stmt;

namespace sweepd {

class Scan {
 public:
  Scan(Connection& connection, const std::string& sql);
  bool next();  // false: no more rows

  bool is_null(int column) const;
  std::int64_t integer(int column) const;
  double real(int column) const;            // NULL reads as NaN
  std::string_view text(int column) const;  // until the next call of next()

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  Connection& connection_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  std::uint32_t rows_ = 0;
};

}  // namespace sweepd
