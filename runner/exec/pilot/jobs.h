// The jobs of a pool, each with its folder in `<runs>/jobs/<owner>-<pool>`. A job is in the list
// from the making of its folder until its folder has the file `ended`; jobs of an earlier daemon
// are loaded. The folders of the last ended jobs are kept, for users and for attempts whose results
// are not stored yet.
#pragma once

#include <deque>
#include <filesystem>
#include <list>
#include <optional>
#include <string>
#include <utility>

#include "runner/base/clock.h"
#include "runner/exec/pilot/cluster_manager.h"
#include "runner/exec/pilot/job_folder.h"
#include "runner/exec/pilot/pilot_settings.h"

namespace sweepd {

struct PilotJob {
  JobFolder folder;
  JobRecord record;
  std::int64_t order = 0;  // the number of the last one
  PilotReport report = {};
  QueuedJob queued = {};              // as last listed
  std::optional<WallTime> ends = {};  // its time limit, once it runs
  Instant needed{};                   // when it last had work, or an attempt waited for it
  Instant looked{};                   // when its report was last read
  Instant obeyed{};                   // when it was last seen to owe nothing (watchdog.h)
  bool submitting = false;            // the manager has not answered yet
  bool unsure = false;                // it is unknown whether the manager has it
  bool asking = false;                // the manager explains its end
  bool told_to_end = false;
  bool cancelled = false;  // by this
  bool finished = false;   // it has ended completely

  std::string name() const { return folder.name(); }
  bool began() const { return !report.state.empty(); }
};
PoolAllocation allocation_of(const PilotJob& job);
void record_number(PilotJob& job, std::int64_t number);
void order_end(PilotJob& job);

class PilotJobs {
 public:
  explicit PilotJobs(const PilotSettings& settings);  // keeps the reference
  PilotJobs(const PilotJobs&) = delete;

  // Finds the jobs of an earlier daemon, besides those that are known. Returns false if their
  // folder cannot be read: it may not be mounted yet, which does not mean that there are none.
  bool load(Instant now);
  bool load_once(Instant now) { return loaded_ = loaded_ || load(now); }
  const std::string& unread() const { return unread_; }  // why the folder could not be read last

  std::list<PilotJob>& all() { return jobs_; }
  const std::list<PilotJob>& all() const { return jobs_; }
  PilotJob* find(const std::string& name);  // null: it has ended, or never was
  std::int64_t live() const;
  JobFolder folder_of(const std::string& name) const { return JobFolder(folder_ / name); }
  void add(PilotJob job) { jobs_.push_back(std::move(job)); }

  // These set `finished`; the job stays in memory until the next `remove_finished`.
  void finish(PilotJob& job, const EndedJob& end);
  // The manager never got it. If it starts anyway, it ends.
  void never_submitted(PilotJob& job);
  void remove_finished();

 private:
  void keep(std::filesystem::path ended);  // removes the oldest of too many

  const PilotSettings& settings_;
  std::filesystem::path folder_;
  std::list<PilotJob> jobs_;
  std::deque<std::filesystem::path> ended_;  // folders, the oldest first
  bool loaded_ = false;
  std::string unread_;
};

}  // namespace sweepd
