#include "runner/client/study/jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "runner/base/files.h"
#include "runner/base/hash.h"
#include "runner/base/text.h"
#include "runner/wire/json_text.h"
#include "runner/wire/messages/queue.h"
#include "runner/wire/messages/results.h"
#include "runner/wire/messages/study.h"

namespace sweepd {
namespace {

using nlohmann::json;
using Sweeps = std::vector<std::pair<std::string, std::string>>;

// Remembers the sweeps of jobs by the jobs' contents, so that a changed file is another job. The
// file is replaced after each submission.
class StudyNotes {
 public:
  explicit StudyNotes(std::filesystem::path file) : file_(std::move(file)) {
    const auto text = read_regular(file_, Links::kFollow);
    if (!text) return;
    // Without it everything is submitted again, which reuses existing results.
    const json read = parse_json(*text);
    if (read.is_object()) known_ = read;
  }

  Sweeps find(const std::string& key) const {
    Sweeps sweeps;
    const auto found = known_.find(key);
    if (found == known_.end() || !found->is_array()) return sweeps;
    for (const json& each : *found) {
      if (!each.is_object()) return {};
      sweeps.emplace_back(each.value("name", ""), each.value("id", ""));
    }
    return sweeps;
  }

  Result<void> set(const std::string& key, const Sweeps& sweeps) {
    json list = json::array();
    for (const auto& [name, id] : sweeps) list.push_back({{"name", name}, {"id", id}});
    known_[key] = std::move(list);
    return replace_file(file_, known_.dump(1) + "\n");
  }

 private:
  std::filesystem::path file_;
  json known_ = json::object();
};

std::string key_of_job(const StudySource& source, const StudyJob& job) {
  return job.file + " " + hash128(source.files.at(job.file).text + '\0' + join(job.set, "\n"));
}

// Whether the database still has all of them, and none was cancelled.
Result<bool> are_there(Client& client, const Sweeps& sweeps) {
  for (const auto& [name, id] : sweeps) {
    const auto found = client.call<rpc::Show>({.what = id, .limit = 1});
    if (!found && found.error().code == ErrorCode::kNotFound) return false;
    if (!found) return found.error();
    if (!found->sweep || found->sweep->cancelled) return false;
  }
  return !sweeps.empty();
}

SweepFile file_of(const StudySource& source, const StudyJob& job) {
  SweepFile file = source.files.at(job.file);
  file.sets = job.set;
  return file;
}

Result<rpc::Plan::Reply> plan_job(Client& client, const StudySource& source, const StudyJob& job) {
  rpc::Plan::Request request = file_of(source, job).plan();
  request.limit = 0;
  return client.call<rpc::Plan>(request);
}

// Whether results of these sweeps are of older code, or of another state of the machine.
Result<bool> are_stale(Client& client, const StudySource& source, const StudyJob& job) {
  const auto plan = plan_job(client, source, job);
  if (!plan) return plan.error();
  return std::any_of(plan->sweeps.begin(), plan->sweeps.end(),
                     [](const SweepPlan& sweep) { return sweep.changes.attempts > 0; });
}

Result<Sweeps> submit_job(Client& client, const StudySource& source, const StudyJob& job) {
  const auto reply = client.call<rpc::Submit>(file_of(source, job).submit());
  if (!reply) return reply.error();
  Sweeps sweeps;
  for (const SubmittedSweep& sweep : reply->sweeps) sweeps.emplace_back(sweep.name, sweep.id);
  return sweeps;
}

}  // namespace

std::string StudySource::path_of(const std::string& named) const {
  return (std::filesystem::path(file).parent_path() / named).lexically_normal().string();
}

Result<StudySource> read_study(Client& client, const std::string& file, const std::string& scale) {
  StudySource source;
  source.file = file;
  auto text = read_sweep_file(file);
  if (!text) return text.error();
  rpc::ReadStudy::Request request;
  request.text = std::move(*text);
  request.file = file;
  request.scale = scale;
  const auto named = client.call<rpc::ReadStudy>(request);
  if (!named) return named.error();
  for (const std::string& name : named->files) {
    auto sweeps = load_sweep_file(source.path_of(name), {});
    if (!sweeps) return sweeps.error();
    request.names.push_back(name);
    request.texts.push_back(sweeps->text);
    request.folders.push_back(sweeps->folder);
    source.files.emplace(name, std::move(*sweeps));
  }
  auto whole = client.call<rpc::ReadStudy>(request);
  if (!whole) return whole.error();
  source.study = std::move(whole->study);
  return source;
}

std::vector<StudyJob> jobs_of(const Study& study) {
  std::vector<StudyJob> jobs;
  for (const StudyChapter& chapter : study.chapters) {
    for (const StudyPart& part : chapter.parts) {
      const bool known = std::any_of(jobs.begin(), jobs.end(),
                                     [&](const StudyJob& job) { return job.is_of(part); });
      if (!part.file.empty() && !known) jobs.push_back({part.file, part.set, {}});
    }
  }
  return jobs;
}

Result<std::vector<rpc::Plan::Reply>> plan_jobs(Client& client, const StudySource& source,
                                                const std::vector<StudyJob>& jobs) {
  std::vector<rpc::Plan::Reply> plans;
  for (const StudyJob& job : jobs) {
    auto plan = plan_job(client, source, job);
    if (!plan) return plan.error();
    plans.push_back(std::move(*plan));
  }
  return plans;
}

Result<void> find_sweeps(Client& client, const StudySource& source, Submits submits,
                         const std::filesystem::path& notes, std::vector<StudyJob>& jobs) {
  StudyNotes known(notes);
  for (StudyJob& job : jobs) {
    const std::string key = key_of_job(source, job);
    Sweeps sweeps = known.find(key);
    const auto there = are_there(client, sweeps);
    if (!there) return there.error();
    if (!*there) sweeps.clear();
    if (submits == Submits::kYes && *there) {
      const auto stale = are_stale(client, source, job);
      if (!stale) return stale.error();
      if (*stale) sweeps.clear();
    }
    if (submits == Submits::kYes && sweeps.empty()) {
      auto submitted = submit_job(client, source, job);
      if (!submitted) return submitted.error();
      sweeps = std::move(*submitted);
      if (auto noted = known.set(key, sweeps); !noted) return noted;
    }
    job.sweeps = std::move(sweeps);
  }
  return {};
}

}  // namespace sweepd
