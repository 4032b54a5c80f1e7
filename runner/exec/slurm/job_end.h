// What the end of a job means for the attempt that ran in it. Pure.
#pragma once

#include <string>

#include "runner/exec/executor.h"
#include "runner/exec/slurm/slurm_text.h"

namespace sweepd {

// How far a job came.
enum class JobStage {
  kAsked,     // its script has not begun
  kPrologue,  // the prologue has
  kReady,     // it could take attempts
};

struct JobEvidence {
  std::int64_t number = 0;
  EndedJob end;
  Duration time{0};       // of the allocation
  std::string phase;      // the last one of the attempt; "" before the first
  std::string last_line;  // of the job's output
  JobStage stage = JobStage::kReady;
};

// The event, without its attempt. Nothing is blamed on the attempt if a node failed, if the job was
// preempted, or if Slurm does not know any more what happened.
AttemptLost lost_with_job(const JobEvidence& evidence);

// "job 17 ended as NODE_FAIL on node3"
std::string words_of(const JobEvidence& evidence);
// The same with the exit status and the last line of its output: all that tells why a job failed.
std::string all_words_of(const JobEvidence& evidence);

// Whether a job that ended before its script began says nothing of the next one: its node failed,
// or somebody cancelled it. It then costs the one attempt that it was meant for what it would have
// cost that attempt in the job. Any other end (FAILED, TIMEOUT) would meet the next job too.
bool is_of_this_job_alone(const EndedJob& end);

// Whether srun's output says that the step was ended from outside: with its job, or alone.
bool says_cancelled(std::string_view srun_output);
// Whether srun's output says that a task was ended because it used too much memory, by the kernel
// or by Slurm, which calls that cancelling its step.
bool says_out_of_memory(std::string_view srun_output);

}  // namespace sweepd
