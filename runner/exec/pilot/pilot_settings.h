// The settings of a cluster pool's executor.
#pragma once

#include <filesystem>
#include <set>
#include <string>

#include "runner/base/units.h"
#include "runner/exec/exit_status.h"
#include "runner/model/machine/pool_config.h"

namespace sweepd {

struct PilotTiming {
  Duration look = milliseconds(5);       // for the folder of a pilot with a new attempt
  Duration command_limit = seconds(60);  // a command of the manager that takes longer has failed
  Duration spare = seconds(30);          // of an allocation's time, for its beginning and its end
  Duration moment = seconds(60);         // a failure shorter than this ends no attempt
  Duration reload = seconds(60);         // until a pilot loads a worker again that was lost thrice
  Duration obey = seconds(300);          // a job that follows no order for this long hangs
};

// A worker of the same build without LibTorch. It loads in milliseconds, and is cheaper to fork.
struct LightWorker {
  std::filesystem::path program;         // beside the other one; "": none
  std::set<std::string> workloads = {};  // that it has
};

struct PilotSettings {
  PoolConfig pool;               // with `slurm`, and an absolute `runs`
  std::filesystem::path worker;  // a path on the nodes
  LightWorker light = {};        // forks the attempts that need no other
  // Distinguishes daemons that share `runs`: letters, digits and `-`. Constant across restarts.
  std::string owner;
  std::filesystem::path commands = {};  // the folder of sbatch and so on; "": PATH
  Prefork prefork = Prefork::kYes;
  PilotTiming timing = {};
};

}  // namespace sweepd
