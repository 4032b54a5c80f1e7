#include "runner/exec/slurm/slurm_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <ctime>
#include <map>
#include <span>

#include "runner/base/text.h"
#include "runner/wire/attempt_folder.h"

namespace sweepd {
namespace {

constexpr std::size_t kMostWords = 1000;  // bytes of a message

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop == text.data()) return std::nullopt;
  return value;
}

// Seconds since 1970; nothing for "N/A" and "Unknown".
std::optional<WallTime> time_in(std::string_view text) {
  const auto seconds_since = number(text);
  if (!seconds_since) return std::nullopt;
  return WallTime{*seconds_since * 1'000'000'000};
}

bool has_any(std::string_view text, std::span<const std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(), [text](std::string_view part) {
    return text.find(part) != std::string_view::npos;
  });
}

// The value of NAME=value among fields between blanks.
std::string field(std::string_view text, std::string_view name) {
  const std::string key = " " + std::string(name) + "=";
  const std::string padded = " " + std::string(text);
  const std::size_t at = padded.find(key);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + key.size();
  return padded.substr(begin, padded.find_first_of(" \n", begin) - begin);
}

// "gpu:h200:8(S:0-1)" -> 8 of kind "h200"; "gpu:8" -> 8.
void read_gres(std::string_view text, PoolNodes& nodes) {
  for (const std::string& entry : split(text, ',')) {
    const auto parts = split(std::string_view(entry).substr(0, entry.find('(')), ':');
    if (parts.empty() || parts[0] != "gpu") continue;
    nodes.gpus += number(parts.back()).value_or(parts.size() > 1 ? 1 : 0);
    if (parts.size() > 2) nodes.gpu = parts[1];
  }
}

}  // namespace

std::string last_line(std::string_view text) {
  const std::string_view trimmed = trim(text);
  return std::string(trimmed.substr(trimmed.rfind('\n') + 1).substr(0, kMostWords));
}

std::string one_line(std::string_view text) {
  std::vector<std::string> lines;
  for (const std::string& line : split(text, '\n')) {
    if (!trim(line).empty()) lines.emplace_back(trim(line));
  }
  return join(lines, "; ").substr(0, kMostWords);
}

std::vector<QueuedJob> parse_squeue(std::string_view text) {
  std::vector<QueuedJob> jobs;
  for (const std::string& line : split(text, '\n')) {
    const auto fields = split(line, '|');
    if (fields.size() < 7 || !number(fields[0])) continue;
    QueuedJob& job = jobs.emplace_back();
    job.number = *number(fields[0]);
    job.name = fields[1];
    job.state = fields[2];
    job.ends = time_in(fields[3]);
    job.starts = time_in(fields[4]);
    job.nodes = fields[5];
    job.reason = fields[6] == "None" ? "" : fields[6];
    job.waits = job.state == "PENDING";
    job.runs = job.state == "RUNNING";
    job.waits_for_ever = waits_for_ever(job.reason);
  }
  return jobs;
}

EndedJob parse_scontrol_job(std::string_view text) {
  EndedJob job{field(text, "JobState"), field(text, "Reason"), field(text, "ExitCode"),
               field(text, "NodeList")};
  if (job.reason == "None") job.reason.clear();
  if (job.nodes == "(null)") job.nodes.clear();
  return job;
}

bool has_ended(const EndedJob& job) {
  return job.state != "PENDING" && job.state != "RUNNING" && job.state != "COMPLETING";
}

JobCause slurm_cause(const EndedJob& end) {
  static const std::map<std::string, JobCause> kCauses{
      {"", JobCause::kLost},
      {"NODE_FAIL", JobCause::kLost},
      {"PREEMPTED", JobCause::kLost},
      {"BOOT_FAIL", JobCause::kLost},
      {"REVOKED", JobCause::kLost},
      {"LAUNCH_FAILED", JobCause::kLost},
      {"CANCELLED", JobCause::kCancelled},
      {"TIMEOUT", JobCause::kTimeLimit},
      {"DEADLINE", JobCause::kTimeLimit},
      {"OUT_OF_MEMORY", JobCause::kMemory},
      {"COMPLETED", JobCause::kCompleted},
  };
  if (const auto found = kCauses.find(end.state); found != kCauses.end()) return found->second;
  if (end.exit == std::to_string(kExitJournal) + ":0") return JobCause::kUnwritable;
  // A node's message for a job whose --output it could not create, before the job ran.
  if (end.exit == "0:53") return JobCause::kNoOutput;
  return JobCause::kOther;
}

StepWords read_srun(std::string_view output) {
  // The kernel's killer in three versions' words, then Slurm's own.
  constexpr std::array<std::string_view, 4> kMemory{"oom_kill event", "oom-kill event",
                                                    "Out Of Memory", "exceeded memory limit"};
  // The first is the step's own word, which is lost if the step ends before srun has it all.
  constexpr std::array<std::string_view, 3> kCancelled{" CANCELLED AT ", "Job step aborted",
                                                       "Node failure"};
  return {has_any(output, kMemory), has_any(output, kCancelled), one_line(output)};
}

std::optional<std::int64_t> parse_sbatch(std::string_view text) {
  for (const std::string& line : split(text, '\n')) {
    const std::string id = line.substr(0, line.find(';'));
    if (!id.empty() && id.find_first_not_of("0123456789") == std::string::npos) return number(id);
  }
  return std::nullopt;
}

std::vector<PoolNodes> parse_sinfo(std::string_view text) {
  std::vector<PoolNodes> all;
  for (const std::string& line : split(text, '\n')) {
    const auto fields = split(line, '|');
    if (fields.size() < 7 || !number(fields[0])) continue;
    PoolNodes& nodes = all.emplace_back();
    nodes.count = *number(fields[0]);
    nodes.state = fields[1];
    nodes.cores = number(fields[2]).value_or(0);
    nodes.memory = Bytes{number(fields[3]).value_or(0) << 20};
    read_gres(fields[4], nodes);
    nodes.names = fields[5];
    nodes.reason = fields[6] == "none" ? "" : fields[6];
    constexpr std::array<std::string_view, 6> kNotUsable{"down",  "drain", "fail",
                                                         "maint", "unk",   "powered"};
    nodes.usable = !has_any(nodes.state, kNotUsable);
  }
  return all;
}

std::optional<WallTime> parse_estimate(std::string_view text) {
  constexpr std::string_view kBefore = "to start at ";
  const std::size_t at = text.find(kBefore);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string rest(text.substr(at + kBefore.size(), 19));
  std::tm local{};
  if (::strptime(rest.c_str(), "%Y-%m-%dT%H:%M:%S", &local) == nullptr) return std::nullopt;
  local.tm_isdst = -1;
  const std::time_t since = std::mktime(&local);
  if (since < 0) return std::nullopt;
  return WallTime{static_cast<std::int64_t>(since) * 1'000'000'000};
}

bool is_unreachable(std::string_view text) {
  constexpr std::array<std::string_view, 9> kWords{"Unable to contact slurm controller",
                                                   "Socket timed out",
                                                   "Connection refused",
                                                   "Transport endpoint",
                                                   "Zero Bytes were",
                                                   "Unexpected message received",
                                                   "connect failure",
                                                   "in standby mode",
                                                   "Message receive failure"};
  return has_any(text, kWords);
}

bool is_too_large(std::string_view text) {
  constexpr std::array<std::string_view, 8> kWords{
      "Requested node configuration is not available",
      "Node count specification invalid",
      "More processors requested than permitted",
      "CPU count per node can not be satisfied",
      "Requested time limit is invalid",
      "Memory specification can not be satisfied",
      "Invalid generic resource (gres) specification",
      "Requested partition configuration not available now"};
  return has_any(text, kWords);
}

bool is_refused_for_good(std::string_view text) {
  // The messages of Slurm 22.05 (slurm_errno.c), of sbatch itself, and of getopt, whose quotes
  // differ.
  constexpr std::array<std::string_view, 26> kWords{
      "invalid partition specified",
      "Invalid partition name specified",
      "No partition specified or system default partition",
      "User's group not permitted to use this partition",
      "Requested nodes not in this partition",
      "Invalid node name specified",
      "Invalid account or account/partition combination specified",
      "Invalid qos specification",
      "Invalid wckey specification",
      "Invalid feature specification",
      "Invalid license specification",
      "Invalid GRES specification",
      "Invalid Trackable RESource (TRES) specification",
      "Invalid mcs_label specified",
      "Requested reservation is invalid",
      "Access denied to requested reservation",
      "Access/permission denied",
      "Job size specification needs to be provided",
      "Task count specification invalid",
      "CPU count specification invalid",
      "Time limit specification required, but not provided",
      "Burst Buffer request invalid",
      "unrecognized option",
      "Unrecognized command line parameter",
      "requires an argument",
      "Invalid argument: "};
  return has_any(text, kWords);
}

bool waits_for_ever(std::string_view reason) {
  constexpr std::array<std::string_view, 4> kReasons{"PartitionConfig", "PartitionNodeLimit",
                                                     "PartitionTimeLimit", "BadConstraints"};
  return std::find(kReasons.begin(), kReasons.end(), reason) != kReasons.end();
}

}  // namespace sweepd
