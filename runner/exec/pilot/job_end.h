// Translates the end of a job into the outcome of its attempt. Pure.
#pragma once

#include <string>

#include "runner/exec/executor.h"
#include "runner/exec/pilot/cluster_manager.h"

namespace sweepd {

// The progress of a job.
enum class JobStage {
  kAsked,     // its script has not begun
  kPrologue,  // the prologue has
  kReady,     // it could take attempts
};

struct JobEvidence {
  std::string manager;  // "Slurm"
  std::int64_t number = 0;
  EndedJob end;
  JobCause cause = JobCause::kOther;
  Duration time{0};       // of the allocation
  std::string phase;      // the last one of the attempt; "" before the first
  std::string last_line;  // of the job's output
  JobStage stage = JobStage::kReady;
};

// The event, without its attempt. The attempt is not at fault if a node failed, if the job was
// preempted, or if the manager no longer knows the job.
AttemptLost lost_with_job(const JobEvidence& evidence);

// "job 17 ended as NODE_FAIL on node3"
std::string words_of(const JobEvidence& evidence);
// The same with the exit status and the last line of its output: everything about why a job failed.
std::string all_words_of(const JobEvidence& evidence);

// Whether the end of a job before its script began does not concern the next job: its node failed,
// or it was cancelled. It then affects the one attempt that the job was meant for, as if that had
// run in it. Any other end would meet the next job too.
bool is_of_this_job_alone(JobCause cause);

}  // namespace sweepd
