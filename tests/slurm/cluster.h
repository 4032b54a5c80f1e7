// The cluster in which these tests run (tools/slurm_cluster): four nodes of two CPUs.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "runner/exec/slurm/slurm_executor.h"

namespace sweepd {

// Polls often, because these tests wait for nothing else. Most of their workers cannot be loaded.
inline PilotSettings settings_for(const std::filesystem::path& runs,
                                  const std::filesystem::path& worker) {
  PilotSettings settings;
  settings.pool.name = "cluster";
  settings.pool.runs = runs;
  settings.pool.slurm.emplace();
  settings.pool.slurm->cpus_per_node = 2;
  settings.pool.slurm->time = seconds(600);
  settings.pool.slurm->idle = seconds(2);
  settings.worker = worker;
  settings.owner = "test";
  settings.prefork = Prefork::kNo;
  settings.pool.slurm->poll = milliseconds(500);
  return settings;
}

// Ends all jobs, so that the next test finds a cluster without any.
inline void end_all_jobs() {
  [[maybe_unused]] const int status =
      std::system("scancel --me; while [ -n \"$(squeue --noheader)\" ]; do sleep 0.05; done");
}

// A command's output, without the last newline.
inline std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = ::popen(command.c_str(), "r");
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) text += static_cast<char>(c);
  ::pclose(pipe);
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace sweepd
