// The `name` table with a cache: texts that repeat stand there once. Ids are the database's own.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "db/connection.h"

namespace sweepd {

class Names {
 public:
  explicit Names(Connection& connection) : connection_(connection) {}
  std::int64_t id(const std::string& text);                   // adds what is missing
  std::int64_t uncached_id(const std::string& text);          // the same, and not remembered
  std::optional<std::int64_t> find(const std::string& text);  // adds nothing
  const std::string& text(std::int64_t id);                   // the id must exist
  // After a rollback: ids made in the transaction are gone.
  void forget();

 private:
  void remember(std::int64_t id, const std::string& text);
  Connection& connection_;
  std::unordered_map<std::string, std::int64_t> ids_;
  std::unordered_map<std::int64_t, std::string> texts_;
};

}  // namespace sweepd
