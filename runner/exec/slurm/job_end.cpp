#include "runner/exec/slurm/job_end.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "runner/wire/attempt_folder.h"

namespace sweepd {
namespace {

template <std::size_t kCount>
bool says_one_of(const std::array<std::string_view, kCount>& words, std::string_view text) {
  return std::ranges::any_of(
      words, [text](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

// Caused neither by the attempt nor by a user.
bool is_nobodys_fault(std::string_view state) {
  constexpr std::array<std::string_view, 6> kStates{"",          "NODE_FAIL", "PREEMPTED",
                                                    "BOOT_FAIL", "REVOKED",   "LAUNCH_FAILED"};
  return std::find(kStates.begin(), kStates.end(), state) != kStates.end();
}

// Slurm also reports CANCELLED if the node's Prolog failed. Such a job has nodes; a job that was
// cancelled in the queue has none.
bool could_not_launch(const JobEvidence& evidence) {
  return evidence.end.state == "CANCELLED" && evidence.stage == JobStage::kAsked &&
         !evidence.end.nodes.empty();
}

bool could_not_write(const EndedJob& end) {
  return end.exit == fmt::format("{}:0", kExitJournal);
}

// A node's message for a job whose --output it could not create, before the job ran.
bool could_not_open_output(const EndedJob& end) {
  return end.exit == "0:53";
}

}  // namespace

bool is_of_this_job_alone(const EndedJob& end) {
  return is_nobodys_fault(end.state) || end.state == "CANCELLED";
}

std::string words_of(const JobEvidence& evidence) {
  const EndedJob& end = evidence.end;
  if (end.state.empty()) {
    return fmt::format("job {} is gone, and Slurm no longer knows how it ended", evidence.number);
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
  if (could_not_write(evidence.end)) words += ": it could not write to the shared folder";
  if (could_not_open_output(evidence.end)) {
    words += ": Slurm could not open its output in the shared folder on that node";
  }
  if (!evidence.last_line.empty()) words += ": " + evidence.last_line;
  return words;
}

AttemptLost lost_with_job(const JobEvidence& evidence) {
  const std::string& state = evidence.end.state;
  const std::string words = words_of(evidence);
  AttemptLost lost;
  lost.what = words;
  lost.ending = {Failed{words, evidence.phase}, 0};
  if (is_nobodys_fault(state) || could_not_launch(evidence)) {
    lost.again = true;
  } else if (state == "TIMEOUT" || state == "DEADLINE") {
    lost.ending.detail = Timeout{evidence.time, evidence.phase};
  } else if (state == "OUT_OF_MEMORY") {
    lost.ending.detail = Oom{{}, {}, {}, evidence.phase};
  } else if (state == "CANCELLED") {
    lost.ending.detail = Cancelled{words};
  } else if (could_not_write(evidence.end)) {
    lost.again = true;  // the pilot could not write
    lost.what += ": it could not write to the shared folder";
    lost.ending.detail = Failed{lost.what, evidence.phase};
  } else {
    lost.ending.detail = Failed{all_words_of(evidence), evidence.phase};
  }
  return lost;
}

bool says_cancelled(std::string_view srun_output) {
  // The first is the step's own word, which is lost if the step ends before srun has it all.
  constexpr std::array<std::string_view, 3> kWords{" CANCELLED AT ", "Job step aborted",
                                                   "Node failure"};
  return says_one_of(kWords, srun_output);
}

bool says_out_of_memory(std::string_view srun_output) {
  // The kernel's killer in three versions' words, then Slurm's own.
  constexpr std::array<std::string_view, 4> kWords{"oom_kill event", "oom-kill event",
                                                   "Out Of Memory", "exceeded memory limit"};
  return says_one_of(kWords, srun_output);
}

}  // namespace sweepd
