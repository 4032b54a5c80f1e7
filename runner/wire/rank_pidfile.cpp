#include "runner/wire/rank_pidfile.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>

#include "runner/base/files.h"
#include "runner/base/proc.h"

namespace sweepd {
namespace {

constexpr const char* kBootIdFile = "/proc/sys/kernel/random/boot_id";
constexpr std::size_t kBootIdLength = 36;
constexpr char kWithoutJournal = '!';  // ends the record of a rank that had none
constexpr char kNoBootId = '-';        // fills the field if the kernel does not report the boot id

// Reads the start of a file. Returns a negative number with errno on failure.
template <std::size_t kSize>
ssize_t read_start(const char* path, std::array<char, kSize>& buffer) {
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  const ssize_t n = ::read(fd, buffer.data(), buffer.size());
  ::close(fd);
  return n;
}

// Writes the line with one write, so that a reader sees all of it or nothing.
bool write_record(int fd) {
  std::array<char, 1024> stat{};  // up to field 22 it needs at most a third of this
  const ssize_t stat_size = read_start("/proc/self/stat", stat);
  std::array<char, kBootIdLength> boot{};
  const ssize_t boot_size = read_start(kBootIdFile, boot);
  if (boot_size != static_cast<ssize_t>(kBootIdLength)) boot.fill(kNoBootId);
  const auto parsed =
      parse_proc_stat({stat.data(), static_cast<std::size_t>(std::max<ssize_t>(0, stat_size))});
  if (!parsed) {
    errno = ENODATA;
    return false;
  }
  constexpr std::size_t kDigits = 20;  // of the largest 64-bit number
  std::array<char, 2 * kDigits + kBootIdLength + 3> line{};
  char* at = std::to_chars(line.data(), line.data() + kDigits, ::getpid()).ptr;
  *at++ = ' ';
  at = std::to_chars(at, at + kDigits, parsed->start_ticks).ptr;
  *at++ = ' ';
  at = std::copy(boot.begin(), boot.end(), at);
  *at++ = '\n';
  const ssize_t size = at - line.data();
  const ssize_t written = ::write(fd, line.data(), static_cast<std::size_t>(size));
  if (written >= 0 && written != size) errno = ENOSPC;
  return written == size;
}

}  // namespace

std::optional<PidfileRecord> parse_pidfile(std::string_view text) {
  const bool without_journal = text.ends_with(kWithoutJournal);
  if (!without_journal && !text.ends_with('\n')) return std::nullopt;
  text.remove_suffix(1);
  const char* const end = text.data() + text.size();
  PidfileRecord record;
  record.without_journal = without_journal;
  const auto pid = std::from_chars(text.data(), end, record.pid);
  if (pid.ec != std::errc{} || pid.ptr == end || *pid.ptr != ' ') return std::nullopt;
  const auto ticks = std::from_chars(pid.ptr + 1, end, record.start_ticks);
  if (ticks.ec != std::errc{} || ticks.ptr == end || *ticks.ptr != ' ') return std::nullopt;
  record.boot_id.assign(ticks.ptr + 1, end);
  const bool plain = record.boot_id.find_first_of(" \n") == std::string::npos;
  if (record.pid <= 1 || record.boot_id.size() != kBootIdLength || !plain) return std::nullopt;
  return record;
}

std::string this_boot_id() {
  const std::string text = read_small_file(kBootIdFile);
  return text.size() < kBootIdLength ? std::string(kBootIdLength, kNoBootId)
                                     : text.substr(0, kBootIdLength);
}

int take_pidfile(int fd) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  if (::fcntl(fd, F_SETLK, &lock) < 0) return errno == EACCES ? EAGAIN : errno;
  if (!write_record(fd)) return errno;
  struct stat info {};
  if (::fstat(fd, &info) < 0) return errno;
  return info.st_nlink == 0 ? ESTALE : 0;
}

void mark_without_journal(const std::filesystem::path& file) {
  struct stat place {
  }, named{};
  if (::fstat(kPidfileFd, &place) < 0 || ::stat(file.c_str(), &named) < 0) return;
  if (place.st_dev != named.st_dev || place.st_ino != named.st_ino || place.st_size < 1) return;
  // If this also fails, the rank appears to have crashed.
  [[maybe_unused]] const ssize_t written =
      ::pwrite(kPidfileFd, &kWithoutJournal, 1, place.st_size - 1);
}

bool is_pidfile_without_journal(const std::filesystem::path& file) {
  const auto text = read_regular(file, Links::kRefuse, 256);
  const auto record = text ? parse_pidfile(*text) : std::nullopt;
  return record && record->without_journal;
}

}  // namespace sweepd
