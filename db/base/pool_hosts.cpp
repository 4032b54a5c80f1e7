#include "db/base/pool_hosts.h"

#include <fmt/format.h>

#include "runner/base/hash.h"
#include "runner/model/vocabulary/pool_name.h"

namespace sweepd {

std::string pool_of_attempt(std::string_view attempt) {
  return fmt::format("(SELECT ph.pool FROM host ph WHERE ph.id = {}.host)", attempt);
}

std::string left_queue_ns(std::string_view attempt) {
  return fmt::format("coalesce({0}.started_ns, {0}.given_ns)", attempt);
}

std::int64_t PoolHosts::find(const std::string& pool) {
  if (pool == kLocalPool) return local_;
  const auto known = known_.find(pool);
  if (known != known_.end()) return known->second;
  Query query(connection_, "SELECT id FROM host WHERE pool = ?");
  query.bind(pool);
  if (!query.next()) return -1;
  return known_[pool] = query.integer(0);
}

std::int64_t PoolHosts::find_or_insert(const std::string& pool) {
  if (const std::int64_t row = find(pool); row >= 0) return row;
  // Equal in every database, so that a merge recognizes it.
  Query(connection_,
        "INSERT INTO host (uid, hostname, cpu_model, cores, sockets, memory_bytes, pool) "
        "VALUES (?, ?2, '', 0, 0, 0, ?2)")
      .bind_all(hash128("pool " + pool).substr(0, 16), pool)
      .run();
  return known_[pool] = connection_.database().getLastInsertRowid();
}

}  // namespace sweepd
