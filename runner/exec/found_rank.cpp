#include "runner/exec/found_rank.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "runner/base/clock.h"
#include "runner/base/proc.h"
#include "runner/exec/spawn.h"
#include "runner/wire/rank_pidfile.h"

namespace sweepd {
namespace {

// Opens regular files only: a FIFO or a device could block.
UniqueFd open_place(const std::filesystem::path& file) {
  UniqueFd fd(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat info {};
  if (!fd || ::fstat(fd.get(), &info) < 0 || !S_ISREG(info.st_mode)) return UniqueFd();
  return fd;
}

std::optional<PidfileRecord> read_record(const UniqueFd& place) {
  std::array<char, 256> text{};
  const ssize_t n = ::pread(place.get(), text.data(), text.size(), 0);
  if (n <= 0) return std::nullopt;
  return parse_pidfile({text.data(), static_cast<std::size_t>(n)});
}

// Returns the lock's holder, from the kernel: 0 if it is free, negative for no single process.
pid_t holder_of(const UniqueFd& place) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  if (::fcntl(place.get(), F_GETLK, &lock) < 0 || lock.l_type == F_UNLCK) return 0;
  return lock.l_type == F_WRLCK && lock.l_pid > 0 ? lock.l_pid : -1;
}

bool has_ended(const UniqueFd& pidfd) {
  pollfd poll{pidfd.get(), POLLIN, 0};
  return ::poll(&poll, 1, 0) != 0;
}

uid_t user_of(pid_t pid) {
  const std::string status = read_small_file(fmt::format("/proc/{}/status", pid));
  const std::string real(proc_field(status, "Uid"));
  return real.empty() ? static_cast<uid_t>(-1) : static_cast<uid_t>(std::atoll(real.c_str()));
}

// Returns why the process that a pidfd names cannot be the rank of this record, or "" if it can.
// Called after the pidfd was opened: from then on it names this process and no later one.
std::string objection(const PidfileRecord& record, const UniqueFd& place, const UniqueFd& pidfd) {
  const pid_t pid = record.pid;
  if (pid == ::getpid() || pid == ::getpgrp()) return "it is sweepd's own";
  if (record.boot_id != this_boot_id()) return "it ran before the machine was last started";
  if (!pidfd) return "there is no such process";
  const auto stat = read_proc_stat(pid);
  if (!stat || stat->ended()) return "it has ended";
  if (stat->start_ticks != record.start_ticks) return "another process has its number now";
  if (stat->group != pid || stat->session != pid) return "it does not lead a session";
  if (user_of(pid) != ::getuid()) return "it belongs to another user";
  if (const pid_t holder = holder_of(place); holder != pid) {
    return fmt::format("it does not hold the lock of its place ({} does)", holder);
  }
  return has_ended(pidfd) ? "it has ended" : "";
}

FoundRank look_at(const UniqueFd& place, const std::filesystem::path& file) {
  FoundRank found;
  const auto record = read_record(place);
  if (!record) return found;
  UniqueFd pidfd = open_pidfd(record->pid);
  const std::string why = objection(*record, place, pidfd);
  if (why.empty()) {
    return {FoundRank::State::kAlive, record->pid, record->start_ticks, std::move(pidfd)};
  }
  // A process that ended needs no message, but another process that holds the place does.
  if (holder_of(place) != 0) {
    spdlog::warn("{}: process {} is left alone: {}", file.string(), record->pid, why);
  }
  found.state = FoundRank::State::kEnded;
  return found;
}

}  // namespace

Result<UniqueFd> make_place(const std::filesystem::path& file) {
  const auto error = [&file] {
    return Error{ErrorCode::kIo,
                 fmt::format("cannot open {}: {}", file.string(), std::strerror(errno))};
  };
  if (::unlink(file.c_str()) < 0 && errno != ENOENT) return error();
  const UniqueFd low(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (!low) return error();
  UniqueFd place(::fcntl(low.get(), F_DUPFD_CLOEXEC, kPidfileFd + 2));
  if (!place) return error();
  return place;
}

FoundRank look_at_place(const std::filesystem::path& file) {
  const UniqueFd place = open_place(file);
  return place ? look_at(place, file) : FoundRank{};
}

FoundRank give_up_place(const std::filesystem::path& file) {
  const UniqueFd place = open_place(file);
  if (!place) return {};
  ::unlink(file.c_str());
  FoundRank found = look_at(place, file);
  // The place is locked but empty: its holder will write, find the place given up, and end.
  const Instant limit = now_instant() + seconds(2);
  while (found.state == FoundRank::State::kNeverBegan && holder_of(place) != 0) {
    if (now_instant() > limit) {
      spdlog::warn("{}: process {} holds it and does not identify itself", file.string(),
                   holder_of(place));
      found.state = FoundRank::State::kEnded;
      return found;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    found = look_at(place, file);
  }
  return found;
}

}  // namespace sweepd
