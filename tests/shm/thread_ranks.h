// Ranks as threads over one mapping of one region, so that the thread sanitizer sees every access.
#pragma once

#include <gtest/gtest.h>

#include <exception>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "workloads/dist/shm/group.h"

namespace sweepd::shm {

// Returns each rank's exception; "" for none.
inline std::vector<std::string> run_ranks(int world_size, Reach reach,
                                          const std::function<void(Group&)>& body) {
  const auto region = Region::create(world_size, 64 << 20);
  std::vector<std::string> errors(static_cast<std::size_t>(world_size));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < world_size; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        Group group(region, rank, reach);
        body(group);
        group.barrier();
      } catch (const std::exception& error) {
        errors[static_cast<std::size_t>(rank)] = error.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return errors;
}

inline void expect_ranks(int world_size, Reach reach, const std::function<void(Group&)>& body) {
  const auto errors = run_ranks(world_size, reach, body);
  for (std::size_t rank = 0; rank < errors.size(); ++rank) {
    EXPECT_EQ(errors[rank], "") << "rank " << rank << " of " << world_size;
  }
}

}  // namespace sweepd::shm
