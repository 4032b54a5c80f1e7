#include "runner/exec/pilot/job_end.h"

#include <fmt/format.h>

namespace sweepd {
namespace {

// Slurm also reports a job as cancelled if the node's Prolog failed. Such a job has nodes; a job
// that was cancelled in the queue has none.
bool could_not_launch(const JobEvidence& evidence) {
  return evidence.cause == JobCause::kCancelled && evidence.stage == JobStage::kAsked &&
         !evidence.end.nodes.empty();
}

constexpr const char* kUnwritableWords = ": it could not write to the shared folder";

}  // namespace

bool is_of_this_job_alone(JobCause cause) {
  return cause == JobCause::kLost || cause == JobCause::kCancelled;
}

std::string words_of(const JobEvidence& evidence) {
  const EndedJob& end = evidence.end;
  if (end.state.empty()) {
    return fmt::format("job {} is gone, and {} no longer knows how it ended", evidence.number,
                       evidence.manager);
  }
  std::string words = fmt::format("job {} ended as {}", evidence.number, end.state);
  if (!end.nodes.empty()) words += " on " + end.nodes;
  if (!end.reason.empty() && end.reason != end.state) words += fmt::format(" ({})", end.reason);
  if (evidence.stage == JobStage::kAsked) words += " before its script began";
  if (evidence.stage == JobStage::kPrologue) words += " in its prologue";
  return words;
}

std::string all_words_of(const JobEvidence& evidence) {
  std::string words = words_of(evidence);
  if (!evidence.end.exit.empty()) words += ", exit status " + evidence.end.exit;
  if (evidence.cause == JobCause::kUnwritable) words += kUnwritableWords;
  if (evidence.cause == JobCause::kNoOutput) {
    words += fmt::format(": {} could not open its output in the shared folder on that node",
                         evidence.manager);
  }
  if (!evidence.last_line.empty()) words += ": " + evidence.last_line;
  return words;
}

AttemptLost lost_with_job(const JobEvidence& evidence) {
  AttemptLost lost;
  lost.what = words_of(evidence);
  lost.ending = {Failed{lost.what, evidence.phase}, 0};
  if (evidence.cause == JobCause::kLost || could_not_launch(evidence)) {
    lost.again = true;
  } else if (evidence.cause == JobCause::kTimeLimit) {
    lost.ending.detail = Timeout{evidence.time, evidence.phase};
  } else if (evidence.cause == JobCause::kMemory) {
    lost.ending.detail = Oom{{}, {}, {}, evidence.phase};
  } else if (evidence.cause == JobCause::kCancelled) {
    lost.ending.detail = Cancelled{lost.what};
  } else if (evidence.cause == JobCause::kUnwritable) {
    lost.again = true;  // the pilot could not write
    lost.what += kUnwritableWords;
    lost.ending.detail = Failed{lost.what, evidence.phase};
  } else {
    lost.ending.detail = Failed{all_words_of(evidence), evidence.phase};
  }
  return lost;
}

}  // namespace sweepd
