#include "runner/base/log_cap.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "runner/base/files.h"
#include "runner/base/text.h"
#include "runner/base/unique_fd.h"
#include "runner/base/units.h"

namespace sweepd {
namespace {

constexpr std::string_view kMark = "[sweepd: ";
constexpr std::string_view kLeftOut = " bytes left out here: a log keeps its first ";

// A longer line may be cut anywhere.
constexpr std::int64_t kLongestLine = 64 << 10;

Error failed(const std::filesystem::path& log, const char* action) {
  return {ErrorCode::kIo,
          fmt::format("cannot {} the log {}: {}", action, log.string(), std::strerror(errno))};
}

std::string read_at(int fd, std::int64_t at, std::int64_t bytes) {
  std::string text(static_cast<std::size_t>(bytes), '\0');
  std::int64_t got = 0;
  while (got < bytes) {
    const ssize_t n =
        ::pread(fd, text.data() + got, static_cast<std::size_t>(bytes - got), at + got);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    got += n;
  }
  text.resize(static_cast<std::size_t>(got));
  return text;
}

struct Head {
  std::int64_t bytes = 0;
  bool whole = true;  // ends with a complete line
};

// Returns the part that stays at the beginning. It is the same at each call, so that the line
// inserted by the last call is found right after it.
Head find_head(int fd, std::int64_t head_bytes) {
  const std::int64_t start = std::max<std::int64_t>(0, head_bytes - kLongestLine);
  const std::string text = read_at(fd, start, head_bytes - start);
  const std::size_t newline = text.rfind('\n');
  if (newline == std::string::npos) return {head_bytes, false};
  return {start + static_cast<std::int64_t>(newline) + 1, true};
}

// The number of bytes removed by earlier calls, and the length of their line.
struct Earlier {
  std::int64_t bytes = 0;
  std::int64_t line_bytes = 0;
};

Earlier read_earlier(int fd, std::int64_t at) {
  constexpr std::int64_t kLongestMark = 200;
  const std::string text = read_at(fd, at, kLongestMark);
  const std::size_t begin = text.starts_with('\n') ? 1 : 0;  // if the head ends within a line
  const std::size_t end = text.find('\n', begin);
  const std::string_view line = std::string_view(text).substr(begin, end - begin);
  const std::size_t number_end = line.find(kLeftOut);
  if (end == std::string::npos || !line.starts_with(kMark) ||
      number_end == std::string_view::npos) {
    return {};
  }
  std::string digits;
  for (const char c : line.substr(kMark.size(), number_end - kMark.size())) {
    if (c != ',') digits += c;
  }
  return {std::atoll(digits.c_str()), static_cast<std::int64_t>(end) + 1};
}

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

Result<std::int64_t> cap_open(int fd, std::int64_t size, const std::filesystem::path& shown,
                              const LogCap& cap) {
  if (size <= cap.most_bytes()) return size;
  const Head head = find_head(fd, cap.head_bytes);
  const Earlier earlier = read_earlier(fd, head.bytes);
  std::string tail = read_at(fd, size - cap.tail_bytes, cap.tail_bytes);
  const std::size_t newline = tail.find('\n');
  // Removes an incomplete first line, unless there is nothing else.
  if (newline < static_cast<std::size_t>(kLongestLine) && newline + 1 < tail.size()) {
    tail.erase(0, newline + 1);
  }
  const std::int64_t gone = earlier.bytes + size - head.bytes - earlier.line_bytes -
                            static_cast<std::int64_t>(tail.size());
  const std::string line = fmt::format(
      "{}{}{}{}{} and its last {}]\n", head.whole ? "" : "\n", kMark, with_thousands(gone),
      kLeftOut, to_text(Bytes{cap.head_bytes}), to_text(Bytes{cap.tail_bytes}));
  if (::ftruncate(fd, head.bytes) != 0) return failed(shown, "shorten");
  if (!write_all(fd, line + tail)) return failed(shown, "write");
  return head.bytes + static_cast<std::int64_t>(line.size() + tail.size());
}

}  // namespace

Result<std::int64_t> cap_log(const std::filesystem::path& log, const LogCap& cap) {
  const UniqueFd fd(
      ::open(log.c_str(), O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  struct stat status {};
  if (!fd || ::fstat(fd.get(), &status) != 0) return failed(log, "open");
  if (S_ISREG(status.st_mode)) return cap_open(fd.get(), status.st_size, log, cap);
  return Error{
      ErrorCode::kInvalidArgument,
      fmt::format("the log {} is {}; expected a file", log.string(), kind_of_file(status.st_mode))};
}

Result<std::int64_t> cap_own_log(const LogCap& cap) {
  struct stat status {};
  if (::fstat(STDOUT_FILENO, &status) != 0 || !S_ISREG(status.st_mode)) return 0;
  // Opened again through /proc, because the descriptor may be open for writing only.
  const std::filesystem::path own = "/proc/self/fd/1";
  const UniqueFd fd(::open(own.c_str(), O_RDWR | O_APPEND | O_CLOEXEC));
  if (!fd) return failed(own, "open");
  return cap_open(fd.get(), status.st_size, own, cap);
}

}  // namespace sweepd
