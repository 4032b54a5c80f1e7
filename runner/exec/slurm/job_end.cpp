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

}  // namespace

std::string words_of(const JobEvidence& evidence) {
  const EndedJob& end = evidence.end;
  if (end.state.empty()) {
    return fmt::format("job {} is gone, and Slurm does not know any more how it ended",
                       evidence.number);
  }
  std::string words = fmt::format("job {} ended as {}", evidence.number, end.state);
  if (!end.nodes.empty()) words += " on " + end.nodes;
  if (!end.reason.empty() && end.reason != end.state) words += fmt::format(" ({})", end.reason);
  return words;
}

AttemptLost lost_with_job(const JobEvidence& evidence) {
  const std::string& state = evidence.end.state;
  const std::string words = words_of(evidence);
  AttemptLost lost;
  lost.what = words;
  lost.ending = {Failed{words, evidence.phase}, 0};
  constexpr std::array<std::string_view, 6> kNotAtFault{"",          "NODE_FAIL", "PREEMPTED",
                                                        "BOOT_FAIL", "REVOKED",   "LAUNCH_FAILED"};
  if (std::find(kNotAtFault.begin(), kNotAtFault.end(), state) != kNotAtFault.end()) {
    lost.again = true;
  } else if (state == "TIMEOUT" || state == "DEADLINE") {
    lost.ending.detail = Timeout{evidence.time, evidence.phase};
  } else if (state == "OUT_OF_MEMORY") {
    lost.ending.detail = Oom{{}, {}, {}, evidence.phase};
  } else if (state == "CANCELLED") {
    lost.ending.detail = Cancelled{words};
  } else if (evidence.end.exit == fmt::format("{}:0", kExitJournal)) {
    lost.again = true;  // the pilot could not write
    lost.what += ": it could not write to the shared folder";
    lost.ending.detail = Failed{lost.what, evidence.phase};
  } else {
    std::string message = fmt::format("{}, exit status {}", words, evidence.end.exit);
    if (!evidence.last_line.empty()) message += ": " + evidence.last_line;
    lost.ending.detail = Failed{std::move(message), evidence.phase};
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
