#include "workloads/command/program.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>

#include "runner/base/clock.h"
#include "runner/base/proc.h"
#include "runner/base/unique_fd.h"
#include "workloads/command/descendants.h"
#include "workloads/command/start.h"

namespace sweepd::command {
namespace {

// During its lifetime, SIGTERM makes a descriptor readable.
class Termination {
 public:
  Termination() {
    ::fcntl(pipe_.write.get(), F_SETFL, O_NONBLOCK);
    descriptor = pipe_.write.get();
    struct sigaction action {};
    action.sa_handler = [](int) {
      const int saved = errno;
      if (::write(descriptor, "", 1) < 0) errno = saved;
    };
    action.sa_flags = SA_RESTART;
    ::sigaction(SIGTERM, &action, &before_);
  }
  ~Termination() { ::sigaction(SIGTERM, &before_, nullptr); }
  Termination(const Termination&) = delete;
  Termination& operator=(const Termination&) = delete;

  int fd() const { return pipe_.read.get(); }
  bool asked(int wait_ms) const {
    pollfd poll{pipe_.read.get(), POLLIN, 0};
    return ::poll(&poll, 1, wait_ms) == 1;
  }

 private:
  static inline volatile int descriptor = -1;
  Pipe pipe_;
  struct sigaction before_ {};
};

class Lines {
 public:
  Lines(UniqueFd fd, const OnLine& on_line, const std::function<std::size_t(std::string_view)>& cut)
      : fd_(std::move(fd)), on_line_(on_line), cut_(cut) {
    ::fcntl(fd_.get(), F_SETFL, O_NONBLOCK);
  }
  int fd() const { return fd_.get(); }  // -1 at the end, which poll ignores

  // Reads everything that is available now.
  void read() {
    std::array<char, 1 << 16> bytes;
    while (fd_) {
      const ssize_t n = ::read(fd_.get(), bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return;  // nothing more for now
      if (n == 0) return fd_.reset();
      feed({bytes.data(), static_cast<std::size_t>(n)});
    }
  }
  void finish() {
    read();
    if (!partial_.empty()) on_line_(std::exchange(partial_, {}));
  }

 private:
  // A carriage return ends a line too, as programs print their progress; "\r\n" is one end.
  void feed(std::string_view bytes) {
    for (std::size_t end = bytes.find_first_of("\r\n"); end != std::string_view::npos;
         end = bytes.find_first_of("\r\n")) {
      partial_ += bytes.substr(0, end);
      const bool is_return = bytes[end] == '\r';
      const bool ended = partial_.empty() && (is_return || returned_);
      if (!ended) on_line_(std::exchange(partial_, {}));
      returned_ = is_return && (!ended || returned_);
      bytes.remove_prefix(end + 1);
    }
    partial_ += bytes;
    if (partial_.size() >= kLongestLine) pass_on_piece();
  }

  void pass_on_piece() {
    std::size_t cut = cut_ ? cut_(partial_) : partial_.size();
    if (cut == 0 && partial_.size() < 4 * kLongestLine) return;
    if (cut == 0) cut = partial_.size();
    on_line_(partial_.substr(0, cut));
    partial_.erase(0, cut);
  }

  UniqueFd fd_;
  const OnLine& on_line_;
  const std::function<std::size_t(std::string_view)>& cut_;
  std::string partial_;
  bool returned_ = false;  // a carriage return has ended the line before
};

class Run {
 public:
  Run(const ProgramStart& plan, const OnLine& output, const OnLine& reports,
      const std::function<void()>& passed_on)
      : plan_(plan),
        passed_on_(passed_on),
        output_(std::move(output_pipe_.read), output, plan.cut),
        reports_(std::move(reports_pipe_.read), reports, plan.cut) {}

  Ended operator()() {
    start();
    try {
      while (!over_) wait();
      kill_descendants();  // what it left behind
      output_.finish();
      reports_.finish();
      passed_on_();
    } catch (...) {
      kill_descendants();
      throw;
    }
    return ended_;
  }
  // Whether this process got a SIGTERM. A whole group gets it at once, but the program's own end
  // because of it may be seen first.
  bool terminated() const { return termination_.asked(ended_.signal == SIGTERM ? 100 : 0); }

 private:
  void start() {
    begun_ = now_instant();
    Started started = command::start(plan_, output_pipe_, reports_pipe_);
    pid_ = started.pid;
    pidfd_ = std::move(started.pidfd);
  }

  void wait() {
    std::array<pollfd, 4> polls{{{output_.fd(), POLLIN, 0},
                                 {reports_.fd(), POLLIN, 0},
                                 {pidfd_.get(), POLLIN, 0},
                                 {deadline_ ? -1 : termination_.fd(), POLLIN, 0}}};
    if (::poll(polls.data(), polls.size(), timeout_ms()) < 0 && errno != EINTR) fail("poll");
    if (plan_.watch_memory) look_at_memory();
    if (polls[3].revents != 0) deadline_ = now_instant() + kGrace;
    output_.read();
    reports_.read();
    passed_on_();
    if (polls[2].revents != 0) reap();
    if (!over_ && deadline_ && now_instant() >= *deadline_) {
      kill_descendants();
      over_ = true;
    }
  }

  int timeout_ms() const {
    if (!deadline_ && plan_.watch_memory) {
      // A short program is looked at more often.
      constexpr int kLook = 20, kFirstLooks = 1;
      return (now_instant() - begun_).ns < milliseconds(kLook).ns ? kFirstLooks : kLook;
    }
    if (!deadline_) return -1;
    return static_cast<int>(
               std::max<std::int64_t>(0, (*deadline_ - now_instant()).ns / 1'000'000)) +
           1;
  }

  void reap() {
    int status = 0;
    rusage usage{};
    if (::wait4(pid_, &status, 0, &usage) < 0) fail("wait4");
    ended_.wall = now_instant() - begun_;
    if (WIFSIGNALED(status)) ended_.signal = WTERMSIG(status);
    if (WIFEXITED(status)) ended_.exit_code = WEXITSTATUS(status);
    // The kernel also counts the time before exec, when the process was a copy of this one.
    rusage own{};
    ::getrusage(RUSAGE_SELF, &own);
    if (usage.ru_maxrss > own.ru_maxrss) {
      see_resident(Bytes{usage.ru_maxrss * 1024});
    }
    over_ = true;
  }

  void look_at_memory() {
    const std::string status = read_small_file("/proc/" + std::to_string(pid_) + "/status");
    const std::int64_t kib = std::atoll(std::string(proc_field(status, "VmHWM")).c_str());
    see_resident(std::max(Bytes{kib * 1024}, resident_of_descendants()));
  }

  // A process that has ended has none.
  void see_resident(Bytes resident) {
    if (resident.value > 0) {
      ended_.peak_resident = std::max(ended_.peak_resident.value_or(Bytes{}), resident);
    }
  }

  const ProgramStart& plan_;
  const std::function<void()>& passed_on_;
  Reaper reaper_;
  Termination termination_;
  Pipe output_pipe_, reports_pipe_;
  Lines output_, reports_;
  pid_t pid_ = -1;
  UniqueFd pidfd_;
  Instant begun_;
  std::optional<Instant> deadline_;  // set by SIGTERM
  bool over_ = false;
  Ended ended_;
};

}  // namespace

Ended run(const ProgramStart& plan, const OnLine& output, const OnLine& reports,
          const std::function<void()>& passed_on) {
  Ended ended;
  bool terminated = false;
  {
    Run run(plan, output, reports, passed_on);
    ended = run();
    terminated = run.terminated();
  }
  if (terminated && plan.before_death) plan.before_death();
  if (terminated) ::raise(SIGTERM);  // as if it had come now: sweepd knows why
  return ended;
}

}  // namespace sweepd::command
