// The pilots of a Slurm pool and the attempts that wait for one or run in one. Decides which job is
// submitted, which attempt it runs and when it ends, and makes events from its folder's files.
//
// Not thread-safe, and never waits for a command: those go to a Shell, which calls back. It reads
// and writes small files in the shared folder. All times are given with the call, except those
// shown to users.
#pragma once

#include <deque>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runner/exec/executor.h"
#include "runner/exec/slurm/doubts.h"
#include "runner/exec/slurm/job_end.h"
#include "runner/exec/slurm/job_folder.h"
#include "runner/exec/slurm/side_shell.h"
#include "runner/exec/slurm/slurm_ask.h"
#include "runner/exec/slurm/slurm_executor.h"
#include "runner/exec/slurm/slurm_text.h"

namespace sweepd {

class Pilots {
 public:
  // Loads the jobs of an earlier daemon.
  Pilots(SlurmSettings settings, Shell& shell, Instant now);

  // As the calls of Executor.
  void start(const AttemptFolder& folder, const AttemptRequest& request, Instant now);
  Adoption adopt(const AttemptFolder& folder, const AttemptId& attempt, Instant now);
  void stop(const AttemptId& attempt);
  void kill(const AttemptId& attempt);
  void take_back(const AttemptId& attempt);
  std::map<AttemptId, AttemptPlace> places() const;
  std::string trouble() const { return trouble_.empty() ? blindness() : trouble_; }
  std::vector<PoolAllocation> allocations() const;
  std::vector<ExecutorEvent> take_events() { return std::exchange(events_, {}); }

  // Looks at folders and takes the due actions. Call when `next` has come and after any call above.
  void tick(Instant now);
  // Empty: there is no job and no attempt.
  std::optional<Instant> next(Instant now) const;

 private:
  struct Attempt {
    AttemptId id;
    AttemptFolder folder;
    SlurmAsk ask;
    bool forked = false;   // by the loaded worker of its job
    bool light = false;    // ... for which the one without LibTorch is enough
    std::string job = {};  // its name; "": it waits
    std::int64_t number = 0;
    Instant given{};  // to the job
    bool adopted = false;
    bool started = false;
    bool stopped = false, killed = false;
    // Its step was ended from outside, perhaps with the job: how often Slurm has reported since
    // then that the job runs.
    std::optional<int> in_doubt = {};
    std::set<int> ended = {};  // ranks
  };
  struct Job {
    JobFolder folder;
    JobRecord record;
    std::int64_t order = 0;
    PilotReport report = {};
    QueuedJob queued = {};              // as squeue last reported
    std::optional<WallTime> ends = {};  // its time limit, once it runs
    std::optional<AttemptId> attempt = {};
    Instant needed{};         // when it last had work, or an attempt waited for it
    Instant looked{};         // when its report was last read
    Instant obeyed{};         // when it was last seen to owe nothing (pilots_watchdog.cpp)
    bool submitting = false;  // sbatch runs
    bool unsure = false;      // it is unknown whether Slurm has it
    bool asking = false;      // scontrol runs
    bool told_to_end = false;
    bool cancelled = false;  // by this
    bool finished = false;   // it has ended completely
  };

  // An attempt of an earlier daemon whose state cannot be read yet.
  struct Unseen {
    AttemptId id;
    AttemptFolder folder;
    bool killed = false;  // requested, for when its state can be read
  };

  bool load(Instant now);
  void adopt_unseen(Instant now);
  std::string blindness() const;
  Attempt attempt_of(const AttemptFolder& folder, const AttemptRequest& request) const;
  void keep(std::filesystem::path ended);  // the folder of a job; removes the oldest of too many
  // Looks.
  void look_at(Job& job, Instant now);
  void follow(Job& job, Attempt& attempt, const PilotReport& report);
  void report_ranks(Attempt& attempt, const RunFiles& files);
  void attempt_over(Job& job, Attempt& attempt, const PilotReport& report);
  void give_back(Attempt& attempt);
  void forget(const AttemptId& attempt);
  void lose(Job& job, Attempt& attempt, const EndedJob& end);
  void lose_meant(const Attempt& attempt, const JobEvidence& evidence);
  // Failures that the next attempt would meet too.
  void job_failed(std::int64_t nodes, const std::vector<AttemptId>& whose,
                  const std::string& words);
  void step_failed(const Job& job, const AttemptId& attempt, const std::string& words);
  bool is_not_loaded(const Job& job, const Attempt& attempt, const RunFiles& files);
  void end_for(const AttemptId& attempt, const std::string& words);
  Duration pause_of(const Job& job, Instant now) const;
  // Ends a job that does not follow its orders.
  void end_if_deaf(Job& job, Instant looked_before, Instant now);
  bool owes(const Job& job) const;
  bool was_deaf(const Job& job, const Attempt& attempt) const;
  void lose_to_deaf(const Job& job, const Attempt& attempt);
  // Asks Slurm.
  void poll_queue(Instant now);
  void hear_queue(const Said& said);
  void hear_job(Job& job, const QueuedJob& queued);
  void vanished(Job& job);
  void never_submitted(Job& job);
  void hear_end(const std::string& name, const Said& said);
  void ended(Job& job, const EndedJob& end);
  void submit(std::int64_t nodes, Instant now);
  void hear_submit(const std::string& name, const Said& said);
  void cancel(Job& job);
  // Decides.
  void decide(Instant now);
  bool fits(const Attempt& attempt, const Job& job) const;
  void give(Job& job, Attempt& attempt, Instant now);
  void give_work(Job& job, Instant now);
  void submit_needed(Instant now);
  void end_idle(Instant now);
  void refuse_waiting(std::int64_t nodes, const Error& why);
  void tell_to_end(Job& job);
  void finish(Job& job, const EndedJob& end);
  void unreachable(const std::string& words);

  AttemptPlace place_of(const Attempt& attempt) const;
  static PoolAllocation allocation_of(const Job& job);
  Job* find_job(const std::string& name);
  const Job* find_job(const std::string& name) const;
  Attempt* find(const AttemptId& attempt);
  const Attempt* find(const AttemptId& attempt) const;
  static bool is_coming(const Job& job, std::int64_t nodes);
  const Job* coming_for(const Attempt& attempt) const;
  const Attempt* meant_for(const Job& job) const;
  std::vector<AttemptId> whose(const Job& job) const;
  std::int64_t waiting_for(std::int64_t nodes) const;
  std::int64_t live_jobs() const;

  SlurmSettings settings_;
  const SlurmPool& pool_;
  Shell& shell_;
  std::filesystem::path folder_;
  std::list<Job> jobs_;
  std::deque<std::filesystem::path> ended_;  // folders of jobs, the oldest first
  std::list<Attempt> attempts_;              // in the order in which they came
  std::vector<Unseen> unseen_;
  Instant next_sight_{};
  bool loaded_ = false;
  std::string unread_;  // why the folder of jobs could not be read last
  std::vector<ExecutorEvent> events_;
  std::string trouble_;
  Instant next_poll_{};
  bool polling_ = false;
  // Numbers of nodes for which the last job ended before its script began, or was refused.
  std::set<std::int64_t> doubtful_;
  Doubts doubts_;
  Instant now_{};  // of the last tick
};

}  // namespace sweepd
