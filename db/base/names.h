// The `name` table with a cache. It stores repeated texts once. Ids are valid in one database only.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "db/base/connection.h"

namespace sweepd {

class Names {
 public:
  explicit Names(Connection& connection) : connection_(connection) {}
  std::int64_t id(const std::string& text);                   // adds the text if it is missing
  std::int64_t uncached_id(const std::string& text);          // the same without the cache
  std::optional<std::int64_t> find(const std::string& text);  // does not add the text
  const std::string& text(std::int64_t id);                   // the id must exist
  // Call after a rollback, which removes the ids made in the transaction.
  void forget();

 private:
  void remember(std::int64_t id, const std::string& text);
  Connection& connection_;
  std::unordered_map<std::string, std::int64_t> ids_;
  std::unordered_map<std::int64_t, std::string> texts_;
};

}  // namespace sweepd
