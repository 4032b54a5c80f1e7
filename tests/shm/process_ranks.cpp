#include "tests/shm/process_ranks.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <exception>

namespace sweepd::shm {
namespace {

[[noreturn]] void run_rank(int rank, int pipe, const std::function<void(int)>& body) {
  std::string error;
  try {
    body(rank);
  } catch (const std::exception& thrown) {
    error = thrown.what();
  }
  const bool written = ::write(pipe, error.data(), error.size()) == ssize_t(error.size());
  ::_exit(written ? 0 : 1);
}

}  // namespace

ProcessRanks::ProcessRanks(int world_size, const std::function<void(int)>& body) {
  for (int rank = 0; rank < world_size; ++rank) {
    int ends[2];
    if (::pipe(ends) != 0) throw std::runtime_error("pipe failed");
    const pid_t pid = ::fork();
    if (pid == 0) run_rank(rank, ends[1], body);
    ::close(ends[1]);
    pids_.push_back(pid);
    pipes_.push_back(ends[0]);
  }
}

ProcessRanks::~ProcessRanks() {
  if (pids_.empty()) return;
  for (std::size_t rank = 0; rank < pids_.size(); ++rank) ::kill(pids_[rank], SIGKILL);
  wait();
}

void ProcessRanks::kill(int rank) {
  ::kill(pids_[static_cast<std::size_t>(rank)], SIGKILL);
}

std::vector<std::string> ProcessRanks::wait() {
  std::vector<std::string> errors;
  for (std::size_t rank = 0; rank < pids_.size(); ++rank) {
    char text[1024];
    const ssize_t size = ::read(pipes_[rank], text, sizeof(text));  // until the process ends
    ::close(pipes_[rank]);
    int status = 0;
    ::waitpid(pids_[rank], &status, 0);
    errors.emplace_back(WIFSIGNALED(status) ? "killed" : std::string(text, std::size_t(size)));
  }
  pids_.clear();
  return errors;
}

}  // namespace sweepd::shm
