#include "runner/base/proc.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <ctime>

#include "runner/base/text.h"
#include "runner/base/unique_fd.h"

namespace sweepd {
namespace {

Duration time_of(const timespec& time) {
  return Duration{time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec};
}

}  // namespace

std::optional<ProcStat> parse_proc_stat(std::string_view text) {
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string_view::npos || name_end + 2 >= text.size()) return std::nullopt;
  std::string_view rest = text.substr(name_end + 2);
  ProcStat stat{.state = rest[0]};
  const auto read = [&rest](auto& value) {
    return std::from_chars(rest.data(), rest.data() + rest.size(), value).ec == std::errc{};
  };
  const auto next_field = [&rest] {
    const std::size_t space = rest.find(' ');
    if (space == std::string_view::npos) return false;
    rest.remove_prefix(space + 1);
    return true;
  };
  for (int field = 4; field <= 22; ++field) {
    if (!next_field()) return std::nullopt;
    if (field == 4 && !read(stat.parent)) return std::nullopt;
    if (field == 5 && !read(stat.group)) return std::nullopt;
    if (field == 6 && !read(stat.session)) return std::nullopt;
  }
  if (!read(stat.start_ticks)) return std::nullopt;
  if (next_field()) read(stat.bytes);
  for (int field = 24; field <= 51 && next_field(); ++field) {
    if (field == 26) read(stat.code_begin);
    if (field == 50) read(stat.environment_begin);
    if (field == 51) read(stat.environment_end);
  }
  return stat;
}

std::string_view proc_field(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos && trim(line.substr(0, colon)) == key) {
      return trim(line.substr(colon + 1));
    }
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return {};
}

std::string shell_field(std::string_view text, std::string_view key) {
  for (const std::string& line : split(text, '\n')) {
    const std::size_t equals = line.find('=');
    if (equals == std::string::npos || trim(std::string_view(line).substr(0, equals)) != key) {
      continue;
    }
    std::string_view value = trim(std::string_view(line).substr(equals + 1));
    const bool quoted = value.size() >= 2 && (value.front() == '"' || value.front() == '\'') &&
                        value.back() == value.front();
    if (quoted) value = value.substr(1, value.size() - 2);
    return std::string(value);
  }
  return {};
}

std::string read_small_file(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  char buffer[4096];
  while (fd) {
    const ssize_t n = ::read(fd.get(), buffer, sizeof buffer);
    if (n <= 0) break;
    text.append(buffer, static_cast<std::size_t>(n));
  }
  return text;
}

std::optional<ProcStat> read_proc_stat(int pid) {
  return parse_proc_stat(read_small_file("/proc/" + std::to_string(pid) + "/stat"));
}

std::optional<Duration> process_age(pid_t pid) {
  const auto stat = read_proc_stat(pid);
  const long ticks_per_s = ::sysconf(_SC_CLK_TCK);
  timespec now{};
  if (!stat || ticks_per_s <= 0 || ::clock_gettime(CLOCK_BOOTTIME, &now) != 0) return std::nullopt;
  const auto started_ns = static_cast<std::int64_t>(stat->start_ticks) *
                          (1'000'000'000 / static_cast<std::int64_t>(ticks_per_s));
  return Duration{time_of(now).ns - started_ns};
}

Duration suspended_since_boot() {
  timespec with{}, without{};
  if (::clock_gettime(CLOCK_MONOTONIC, &without) != 0 ||
      ::clock_gettime(CLOCK_BOOTTIME, &with) != 0)
    return {};
  return Duration{time_of(with).ns - time_of(without).ns};
}

}  // namespace sweepd
