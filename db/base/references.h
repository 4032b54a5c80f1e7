// Which columns of the database refer to a row, read from its foreign keys. Deletion by this list
// also covers tables that later migrations add.
#pragma once

#include <string>
#include <vector>

#include "db/base/connection.h"

namespace sweepd {

struct Reference {
  std::string table, column;
  bool optional = false;  // may be NULL, and is no part of the row's key
};

// Returns every column that refers to `table`.`key`.
std::vector<Reference> references_to(Connection& connection, const std::string& table,
                                     const std::string& key);

}  // namespace sweepd
