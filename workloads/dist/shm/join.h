// How the ranks of an attempt find their shared memory: rank 0 creates it and keeps its address in
// the attempt's folder, `shm.address`, until all ranks have mapped it.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>

#include "workloads/dist/shm/group.h"

namespace sweepd::shm {

struct Place {
  std::filesystem::path folder;
  int rank = 0;
  int world_size = 1;
  std::chrono::milliseconds timeout{0};  // for the others to come; 0: forever
  Reach reach = Reach::kBest;
};

// Returns when all ranks have joined. May be called again with the same folder for a second group.
// Throws std::runtime_error if a rank does not come or there is no room.
std::unique_ptr<Group> join_group(const Place& place);

}  // namespace sweepd::shm
