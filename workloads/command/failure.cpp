#include "workloads/command/failure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "runner/base/proc.h"
#include "runner/base/text.h"
#include "workloads/api/crash.h"
#include "workloads/api/failure.h"
#include "workloads/command/memory_words.h"

namespace sweepd::command {
namespace {

// Exceptions that say that another process failed. Its own words come before them. vLLM says it of
// its engine with a RuntimeError: "Engine core initialization failed. See root cause above."
constexpr std::array<std::string_view, 6> kOfOtherProcesses{
    "ChildFailedError",       "CalledProcessError", "ProcessRaisedException",
    "ProcessExitedException", "BrokenProcessPool",  "DistBackendError"};

bool is_of_other_process(std::string_view line, std::string_view exception) {
  return std::ranges::find(kOfOtherProcesses, exception) != kOfOtherProcesses.end() ||
         line.find("See root cause above") != std::string_view::npos;
}

// Whether the line is the last one of a traceback, "FileNotFoundError: [Errno 2] ..." or
// "torch.AcceleratorError", perhaps after torchrun's "[rank0]: ". Returns its name, or "".
std::string_view exception_in(std::string_view line) {
  if (line.starts_with("[rank")) {
    const std::size_t behind = line.find("]: ");
    if (behind != std::string_view::npos) line.remove_prefix(behind + 3);
  }
  const std::size_t end = std::min(line.find(':'), line.size());
  std::string_view name = line.substr(0, end);
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.";
  if (name.find_first_not_of(kLetters) != std::string_view::npos) return {};
  name.remove_prefix(name.rfind('.') + 1);  // npos + 1 is 0
  const bool is_one = name.ends_with("Error") || name.ends_with("Exception") ||
                      name.ends_with("Interrupt") || name == "StopIteration";
  return is_one ? name : std::string_view();
}

std::optional<std::int64_t> counter(const std::filesystem::path& file, std::string_view name) {
  for (const std::string& line : split(read_small_file(file.string()), '\n')) {
    if (line.starts_with(name) && line.size() > name.size() && line[name.size()] == ' ') {
      return std::atoll(line.c_str() + name.size() + 1);
    }
  }
  return std::nullopt;
}

}  // namespace

void Symptoms::read(std::string_view line) {
  const std::string_view text = trim(line);
  if (text.empty()) return;
  constexpr std::size_t kLongest = 500;
  last_line_ = text.substr(0, kLongest);
  if (text.starts_with(kSkipMarker)) skip_reason_ = trim(text.substr(kSkipMarker.size()));
  if (text.starts_with("The above exception was the direct cause of")) {
    next_exception_ = Chain::kCausedByIt;
  } else if (text.starts_with("Exception ignored in")) {
    next_exception_ = Chain::kIgnored;  // as when the interpreter ends
  }
  constexpr std::size_t kSearched = 4096;  // of a line that may be as long as it likes
  const bool of_memory = says_out_of_memory(text.substr(0, kSearched));
  const std::string_view exception = exception_in(text);
  if (of_memory) {
    // The first one that says how much it was.
    if (oom_line_.empty() || requested_bytes(oom_line_).value == 0) oom_line_ = text;
  } else if ((!exception.empty() && next_exception_ == Chain::kNew &&
              !is_of_other_process(text, exception)) ||
             says_memory_was_survived(text.substr(0, kSearched))) {
    oom_line_.clear();
  }
  if (!exception.empty()) next_exception_ = Chain::kNew;
}

void Symptoms::judge(const Ended& ended, bool killed_for_memory, Bytes memory_limit) const {
  if (skip_reason_) throw Unavailable(*skip_reason_);
  if (ended.exit_code == kExitSkipped) {
    throw Unavailable(last_line_.empty() ? "the program ended with exit code 77, without a reason"
                                         : last_line_);
  }
  if (reported_oom_) {
    throw OutOfMemory(reported_oom_->requested, reported_oom_->in_use, memory_limit);
  }
  if (ended.exit_code == 0) return;
  const bool killed = ended.signal == SIGKILL || ended.exit_code == 128 + SIGKILL;
  if (!oom_line_.empty() || (killed && killed_for_memory)) {
    throw OutOfMemory(requested_bytes(oom_line_), Bytes{0}, memory_limit);
  }
  const std::string last = last_line_.empty() ? "" : ": " + last_line_;
  if (ended.signal) {
    throw Crash(*ended.signal, fmt::format("the program was ended by SIG{}{}",
                                           ::sigabbrev_np(*ended.signal), last));
  }
  throw std::runtime_error(
      fmt::format("the program ended with exit code {}{}", ended.exit_code.value_or(-1), last));
}

std::optional<std::int64_t> kills_for_memory(const std::filesystem::path& root) {
  for (const std::string& line :
       split(read_small_file((root / "proc/self/cgroup").string()), '\n')) {
    const std::vector<std::string> fields = split(line, ':');  // "0::/path", "5:memory:/path"
    if (fields.size() < 3) continue;
    const std::string path = fields[2].substr(std::min<std::size_t>(1, fields[2].size()));
    if (fields[0] == "0") {
      if (const auto kills = counter(root / "sys/fs/cgroup" / path / "memory.events", "oom_kill"))
        return kills;
    } else if (fields[1] == "memory") {
      const auto folder = root / "sys/fs/cgroup/memory";
      for (const auto& file :
           {folder / path / "memory.oom_control", folder / "memory.oom_control"}) {
        if (const auto kills = counter(file, "oom_kill")) return kills;
      }
    }
  }
  return std::nullopt;
}

}  // namespace sweepd::command
