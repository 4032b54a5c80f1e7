#include "runner/exec/pilot/failures.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace sweepd {
namespace {

// "/jobs/a/pilot.sh: line 31: /worker: No such file" -> "/worker: No such file"
std::string without_script(const std::string& words, const std::string& script) {
  const std::string before = script + ": line ";
  if (!words.starts_with(before)) return words;
  const std::size_t end = words.find(": ", before.size());
  return end == std::string::npos ? words : words.substr(end + 2);
}

std::string step_on(const PilotJob& job) {
  return "a step on " + job.report.nodes;
}

}  // namespace

void RepeatedFailures::end_attempt(const AttemptId& attempt, const std::string& words) {
  AttemptLost lost;
  lost.ending = {Failed{words, ""}, 0};
  lost.next_too = true;
  state_.attempts.lost(attempt, std::move(lost));
}

void RepeatedFailures::job_failed(std::int64_t nodes, const std::vector<AttemptId>& whose,
                                  const std::string& words) {
  if (doubts_.failed(allocation_text(state_.pool(), nodes), state_.now)) {
    for (const AttemptId& attempt : whose) end_attempt(attempt, words);
  }
  state_.attempts.refuse_waiting(nodes, {ErrorCode::kUnavailable, words});
}

void RepeatedFailures::step_failed(const PilotJob& job, const AttemptId& attempt,
                                   const std::string& words) {
  if (doubts_.failed(step_on(job), state_.now)) return end_attempt(attempt, words);
  state_.attempts.not_started(attempt, {ErrorCode::kUnavailable, words});
}

bool RepeatedFailures::is_not_loaded(const PilotJob& job, const PilotAttempt& attempt,
                                     const RunFiles& files) {
  const auto failed = std::ranges::find_if(files.exits, [&](const auto& rank) {
    std::error_code ignored;  // a journal that cannot be read has nothing
    return rank.second == kExitNotLoaded &&
           !std::filesystem::exists(attempt.folder.events(rank.first), ignored);
  });
  if (failed == files.exits.end()) {
    doubts_.worked(step_on(job));
    return false;
  }
  if (attempt.killed || attempt.stopped || !doubts_.failed(step_on(job), state_.now)) return false;
  const int rank = failed->first;
  const auto began = files.began.find(rank);
  const std::string node = began == files.began.end() ? job.report.nodes : began->second.node;
  end_attempt(attempt.id, fmt::format("no worker on {}: {}", node,
                                      without_script(last_line_of(attempt.folder.log(rank)),
                                                     job.folder.script().string())));
  return true;
}

void RepeatedFailures::job_began(std::int64_t nodes) {
  doubtful_.erase(nodes);
  doubts_.worked(allocation_text(state_.pool(), nodes));
}

}  // namespace sweepd
