#include "runner/exec/pilot/jobs.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <vector>

#include "runner/base/folder_entries.h"

namespace sweepd {

PoolAllocation allocation_of(const PilotJob& job) {
  PoolAllocation allocation;
  if (job.record.number > 0) allocation.id = std::to_string(job.record.number);
  allocation.state = job.began() ? "RUNNING" : job.queued.state;
  allocation.nodes = job.began() ? job.report.nodes : job.queued.nodes;
  if (!job.began()) allocation.reason = job.queued.reason;
  if (!job.began()) allocation.starts = job.queued.starts;
  allocation.ends = job.ends;
  return allocation;
}

// If it cannot be written, the job is found by its name.
void record_number(PilotJob& job, std::int64_t number) {
  job.record.number = number;
  if (!job.folder.write_record(job.record)) spdlog::warn("job {} has no record", number);
}

void order_end(PilotJob& job) {
  job.told_to_end = true;
  const auto told = job.folder.order(fmt::format("{} end", ++job.order));
  if (!told) spdlog::warn("{}", told.error().message);  // it ends by itself when it is idle
}

PilotJobs::PilotJobs(const PilotSettings& settings)
    : settings_(settings),
      folder_(std::filesystem::path(settings.pool.runs) / "jobs" /
              (settings.owner + "-" + settings.pool.name)) {}

bool PilotJobs::load(Instant now) {
  std::vector<std::pair<std::int64_t, std::filesystem::path>> old;
  auto entries = entries_of(folder_);
  if (!entries && entries.error().code == ErrorCode::kNotFound) {
    // The dispatcher has made the folder above it, so it is missing only if nothing is mounted.
    const auto above = entries_of(folder_.parent_path());
    entries = above ? decltype(entries)(std::vector<std::filesystem::path>()) : above.error();
  }
  unread_ = entries ? "" : entries.error().message;
  if (!entries) return false;
  std::size_t found = 0;
  for (const std::filesystem::path& entry : *entries) {
    const JobFolder folder(entry);
    if (find(folder.name()) != nullptr || std::ranges::count(ended_, entry) > 0) continue;
    const auto record = folder.record();
    const bool has_ended = folder.has_ended();
    if (!has_ended && !folder.is_whole()) {
      PilotJob job{folder, {}};
      never_submitted(job);
      continue;
    }
    if (!record || has_ended) {
      old.emplace_back(record ? record->asked.ns : 0, entry);
      continue;
    }
    PilotJob job{folder, *record};
    job.order = folder.last_order().number;
    job.needed = now;
    job.unsure = record->number == 0;
    job.told_to_end = folder.last_order().verb == "end";
    jobs_.push_back(std::move(job));
    ++found;
  }
  std::sort(old.begin(), old.end());
  for (auto& [when, path] : old) keep(std::move(path));
  if (found > 0) spdlog::info("pool `{}`: {} jobs found again", settings_.pool.name, found);
  return true;
}

PilotJob* PilotJobs::find(const std::string& name) {
  const auto found = std::ranges::find_if(
      jobs_, [&name](const PilotJob& job) { return !job.finished && job.name() == name; });
  return found == jobs_.end() ? nullptr : &*found;
}

std::int64_t PilotJobs::live() const {
  return std::ranges::count(jobs_, false, &PilotJob::finished);
}

void PilotJobs::finish(PilotJob& job, const EndedJob& end) {
  job.finished = true;
  const std::string words = end.state.empty() ? "unknown" : end.state;
  if (job.record.number == 0) {
    spdlog::info("pool `{}`: no job: {}", settings_.pool.name, words);
  } else {
    spdlog::info("pool `{}`: job {} ended: {}", settings_.pool.name, job.record.number, words);
  }
  const auto written = job.folder.end(end);
  if (!written) spdlog::warn("{}", written.error().message);
  keep(job.folder.path());
}

void PilotJobs::never_submitted(PilotJob& job) {
  order_end(job);
  finish(job, {"NEVER_SUBMITTED", "", "", ""});
}

void PilotJobs::remove_finished() {
  jobs_.remove_if([](const PilotJob& job) { return job.finished; });
}

void PilotJobs::keep(std::filesystem::path ended) {
  const std::int64_t kept = std::max<std::int64_t>(20, 2 * settings_.pool.slurm->max_jobs);
  ended_.push_back(std::move(ended));
  if (static_cast<std::int64_t>(ended_.size()) <= kept) return;
  std::error_code ignored;
  std::filesystem::remove_all(ended_.front(), ignored);
  ended_.pop_front();
}

}  // namespace sweepd
