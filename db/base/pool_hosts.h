// A pool of a cluster is a row of `host`, whose `pool` is its name; machines have `local` there.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "db/base/connection.h"

namespace sweepd {

// An expression for the pool of an attempt, whose table's name in the statement this is.
std::string pool_of_attempt(std::string_view attempt);

// An expression for when an attempt left the queue: it started, or was given to its pool.
std::string left_queue_ns(std::string_view attempt);

// The existing hosts that stand for pools. Each is looked up once.
class PoolHosts {
 public:
  // `local` is the row of this machine.
  PoolHosts(Connection& connection, std::int64_t local) : connection_(connection), local_(local) {}

  // Returns the row; -1 if nothing was ever wanted in that pool.
  std::int64_t find(const std::string& pool);
  // Adds it if need be.
  std::int64_t find_or_insert(const std::string& pool);

 private:
  Connection& connection_;
  std::int64_t local_;
  std::map<std::string, std::int64_t> known_;
};

}  // namespace sweepd
