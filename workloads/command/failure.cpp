#include "workloads/command/failure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <system_error>

#include "runner/base/proc.h"
#include "runner/base/text.h"
#include "workloads/api/crash.h"
#include "workloads/api/failure.h"
#include "workloads/command/memory_words.h"

namespace sweepd::command {
namespace {

constexpr std::size_t kLongestReason = 500;  // of a line, or of an exception

bool is_space(char c) {
  return c == ' ' || c == '\t';
}

// Exceptions that say that another process failed. Its own words come before them. vLLM says it of
// its engine with a RuntimeError: "Engine core initialization failed. See root cause above."
constexpr std::array<std::string_view, 6> kOfOtherProcesses{
    "ChildFailedError",       "CalledProcessError", "ProcessRaisedException",
    "ProcessExitedException", "BrokenProcessPool",  "DistBackendError"};

bool is_of_other_process(std::string_view line, std::string_view exception) {
  return std::ranges::find(kOfOtherProcesses, exception) != kOfOtherProcesses.end() ||
         line.find("See root cause above") != std::string_view::npos;
}

std::string_view without_rank(std::string_view line) {
  if (!line.starts_with("[rank")) return line;
  const std::size_t behind = line.find("]: ");
  return behind == std::string_view::npos ? line : line.substr(behind + 3);
}

// Whether the line is the last one of a traceback, "FileNotFoundError: [Errno 2] ..." or
// "torch.AcceleratorError", perhaps after torchrun's "[rank0]: ". Returns its name, or "".
std::string_view exception_in(std::string_view line) {
  line = without_rank(line);
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

// "2.5", "1e-4", "12.3ms"
bool is_number(std::string_view word) {
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && word.data() + word.size() - end <= 2;
}

// Whether the line is one of figures, "iter 5: loss 2.3, 12.5 ms". Standard output is buffered, so
// it may come after the exception.
bool is_of_figures(std::string_view line) {
  int words = 0, numbers = 0;
  bool has_fraction = false;
  std::string text(line);
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const char* failure : {"err", "fail", "abort", "fatal", "kill", "exce", "invalid", "denied"})
    if (text.find(failure) != std::string::npos) return false;
  constexpr std::string_view kBetween = " \t=,;|()[]{}";
  for (std::size_t at = 0; at < text.size();) {
    std::string_view word = std::string_view(text).substr(at);
    word = word.substr(0, word.find_first_of(kBetween));
    at += word.size() + 1;
    while (word.ends_with(':') || word.ends_with('%')) word.remove_suffix(1);
    if (is_number(word)) {
      ++numbers;
      has_fraction |= word.find('.') != std::string_view::npos;
    } else if (word.find_first_of("abcdefghijklmnopqrstuvwxyz") != std::string_view::npos) {
      ++words;
    }
  }
  return numbers >= words && numbers > 0 && (words == 0 || has_fraction);
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
  line_before_ = last_line_;
  if (!is_of_figures(text.substr(0, kLongestReason))) last_line_ = text.substr(0, kLongestReason);
  if (text.starts_with(kSkipMarker)) skip_reason_ = trim(text.substr(kSkipMarker.size()));
  if (text.starts_with("The above exception was the direct cause of")) {
    next_exception_ = Chain::kCausedByIt;
  } else if (text.starts_with("Exception ignored in")) {
    next_exception_ = Chain::kIgnored;  // as when the interpreter ends
  }
  constexpr std::size_t kSearched = 4096;  // of a line that may be as long as it likes
  const bool of_memory = says_out_of_memory(text.substr(0, kSearched));
  const std::string_view exception = exception_in(text);
  read_traceback(line);
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

void Symptoms::read_traceback(std::string_view line) {
  line = without_rank(line);
  const std::string_view text = trim(line);
  if (text.empty()) return;
  constexpr int kMostLines = 100;  // of a message, or after it; a program that says more went on
  if (line.starts_with("Traceback (most recent call last)")) {
    traceback_ = Traceback::kFrames;
  } else if (traceback_ == Traceback::kFrames) {
    if (is_space(line.front())) return;
    const bool explains =
        next_exception_ != Chain::kIgnored && !is_of_other_process(text, exception_in(text));
    traceback_ = explains || exception_.empty() ? Traceback::kMessage : Traceback::kOver;
    if (traceback_ == Traceback::kOver) return;
    exception_ = text.substr(0, kLongestReason);
    lines_after_it_ = 0;
  } else if (!exception_.empty()) {
    const bool is_printed = is_of_figures(text.substr(0, kLongestReason));
    if (is_printed || text.starts_with("Exception ignored in")) traceback_ = Traceback::kOver;
    if (!is_printed && !is_space(line.front()) && ++lines_after_it_ > kMostLines) {
      exception_.clear();
    }
    if (traceback_ == Traceback::kOver || exception_.empty()) return;
    exception_ = (exception_ + " ").append(text).substr(0, kLongestReason);
  }
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
  const std::string& reason = exception_.empty() ? last_line_ : exception_;
  const std::string last = reason.empty() ? "" : ": " + reason;
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
