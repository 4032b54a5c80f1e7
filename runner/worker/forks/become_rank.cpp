#include "runner/worker/forks/become_rank.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "runner/base/unique_fd.h"

namespace sweepd {

std::string failed(const std::string& what) {
  return fmt::format("{}: {}", what, std::strerror(errno));
}

std::string redirect(const std::filesystem::path& path, int flags, int target) {
  const UniqueFd fd(::open(path.c_str(), flags | O_CLOEXEC, 0644));
  if (!fd || ::dup2(fd.get(), target) < 0) return failed("cannot open " + path.string());
  return "";
}

std::string redirect_output(const std::filesystem::path& log) {
  for (const int output : {STDOUT_FILENO, STDERR_FILENO}) {
    auto error = redirect(log, O_WRONLY | O_CREAT | O_APPEND, output);
    if (!error.empty()) return error;
  }
  return "";
}

void shift_later_mappings() {
  constexpr std::size_t kPageBytes = 4096;
  std::uint16_t pages = 0;
  if (::getrandom(&pages, sizeof pages, GRND_NONBLOCK) != sizeof pages || pages == 0) return;
  [[maybe_unused]] void* const hole = ::mmap(nullptr, pages * kPageBytes, PROT_NONE,
                                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

}  // namespace sweepd
