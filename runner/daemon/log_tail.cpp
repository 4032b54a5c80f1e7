#include "runner/daemon/log_tail.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <system_error>

#include "runner/base/say.h"
#include "runner/base/unique_fd.h"

namespace sweepd {
namespace {

constexpr std::size_t kLongestWait = 64 << 10;  // bytes without the end of a line

}  // namespace

void LogTail::read() {
  const UniqueFd file(::open(file_.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat stat {};
  if (!file || ::fstat(file.get(), &stat) != 0 || !S_ISREG(stat.st_mode)) return;
  if (stat.st_size < at_) at_ = stat.st_size;  // its middle was removed (base/log_cap.h)
  std::array<char, 16384> piece{};
  ssize_t n = 0;
  while ((n = ::pread(file.get(), piece.data(), piece.size(), at_)) > 0) {
    waiting_.append(piece.data(), static_cast<std::size_t>(n));
    at_ += n;
    if (waiting_.size() > kLongestWait) print_whole_lines();
  }
}

void LogTail::print(std::size_t bytes) {
  if (bytes == 0) return;
  print_data(stdout, waiting_.substr(0, bytes));
  waiting_.erase(0, bytes);
  if (std::fflush(stdout) != 0) {
    throw std::system_error(errno, std::generic_category(), "cannot write to standard output");
  }
}

void LogTail::print_whole_lines() {
  const std::size_t end = waiting_.rfind('\n');
  if (end != std::string::npos) return print(end + 1);
  if (waiting_.size() > kLongestWait) print(waiting_.size());
}

void LogTail::print_lines() {
  read();
  print_whole_lines();
}

void LogTail::print_rest() {
  read();
  if (!waiting_.empty() && waiting_.back() != '\n') waiting_ += '\n';
  print(waiting_.size());
}

}  // namespace sweepd
