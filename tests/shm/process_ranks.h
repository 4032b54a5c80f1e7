// Ranks as processes, forked from the test. They meet through a folder, as an attempt's ranks do.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "workloads/dist/shm/join.h"

namespace sweepd::shm {

class ProcessRanks {
 public:
  // Runs `body` in its own process for each rank. An exception becomes the rank's error.
  ProcessRanks(int world_size, const std::function<void(int rank)>& body);
  ~ProcessRanks();  // kills the remaining ones
  ProcessRanks(const ProcessRanks&) = delete;
  ProcessRanks& operator=(const ProcessRanks&) = delete;

  void kill(int rank);
  // Waits for all and returns each rank's exception: "" for nothing, "killed" for a signal.
  std::vector<std::string> wait();

 private:
  std::vector<pid_t> pids_;
  std::vector<int> pipes_;
};

}  // namespace sweepd::shm
