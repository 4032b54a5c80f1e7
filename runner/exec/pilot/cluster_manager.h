// What pilots need from a cluster's manager. One kind of cluster is one implementation: Slurm's is
// exec/slurm/slurm_manager.h. Only an implementation knows the manager's commands and words;
// everything else of exec/pilot is the same for all kinds.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/base/clock.h"
#include "runner/base/result.h"
#include "runner/exec/pilot/job_folder.h"
#include "runner/exec/pool_status.h"

namespace sweepd {

// A job in the queue, waiting or running. `state` and `reason` are shown to users as they are.
struct QueuedJob {
  std::int64_t number = 0;
  std::string name, state, nodes, reason;
  std::optional<WallTime> starts, ends;
  bool waits = false, runs = false;  // neither: between two states, or suspended
  bool waits_for_ever = false;       // its reason never passes
};

// What the end of a job means for its attempt and for the next job.
enum class JobCause {
  kLost,       // its node failed, it was preempted, or the manager no longer knows it
  kCancelled,  // by a user or an administrator
  kTimeLimit,
  kMemory,
  kCompleted,
  kUnwritable,  // its script could not write to the shared folder
  kNoOutput,    // a node could not open its output there, so the script never ran
  kOther,
};

enum class NotSubmitted {
  kUnknown,   // the manager did not answer: the job may be in the queue
  kForGood,   // the same configuration will be refused again
  kTooLarge,  // the pool never has that much
  kForNow,
};
struct SubmitAnswer {
  std::int64_t number = 0;  // the job's; 0: not submitted
  NotSubmitted why = NotSubmitted::kUnknown;
  std::string words = {};
};

// What the output of a step's launcher reports. A step that used too much memory may have both.
struct StepWords {
  bool out_of_memory = false;
  bool cancelled = false;  // ended from outside: with its job, or alone
  std::string words = {};  // the output, as one line
};

class ClusterManager {
 public:
  template <class T>
  using Done = std::function<void(const T&)>;
  virtual ~ClusterManager() = default;

  // These ask the manager and return at once. Each calls `done` later, once, on the same thread. An
  // error means that the manager did not answer.
  virtual void submit(const JobFolder& folder, std::int64_t nodes, Done<SubmitAnswer> done) = 0;
  virtual void list(Done<Result<std::vector<QueuedJob>>> done) = 0;  // this user's jobs
  virtual void cancel(std::int64_t number, Done<Result<void>> done) = 0;
  // How a job ended that is no longer listed. Nothing: it has not ended yet.
  virtual void explain(std::int64_t number, Done<Result<std::optional<EndedJob>>> done) = 0;

  // These ask the manager and wait. From any thread, several at a time.
  virtual Result<std::vector<PoolNodes>> nodes() = 0;
  // Sets when a job of so many nodes would begin, or why it never can.
  virtual Result<void> estimate(std::int64_t nodes, PoolEstimate& estimate) = 0;

  // These are pure.
  virtual std::string name() const = 0;  // "Slurm"
  // The pilot of a job: its batch script, which follows job_folder.h.
  virtual std::string script(const JobFolder& folder) const = 0;
  virtual JobCause cause_of(const EndedJob& end) const = 0;
  virtual StepWords read_step(std::string_view output) const = 0;
};

}  // namespace sweepd
