// Runs Slurm's commands one after the other on a thread, since each may take seconds, or a minute
// while the controller is away.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "runner/base/units.h"

namespace sweepd {

// A command that prints more is killed: enough for squeue of 50,000 jobs.
inline constexpr std::size_t kMostSaidBytes = 8 << 20;

struct Said {
  int exit = -1;     // -1: it could not run, took too long or printed too much
  std::string text;  // stdout and stderr, in the order of writing; or why it could not run
  bool ok() const { return exit == 0; }
};

// Runs the pilots' commands. Tests substitute their own answers.
class Shell {
 public:
  using Done = std::function<void(const Said&)>;
  virtual ~Shell() = default;
  // Calls `done` later, once.
  virtual void run(std::vector<std::string> command, Done done) = 0;
};

// Runs one command of Slurm (slurm_environment.h) and waits for it. `folder` has the program; "":
// PATH is searched. Once `give_up` is true the command is killed.
Said run_command(const std::filesystem::path& folder, std::vector<std::string> command,
                 Duration limit, const std::atomic<bool>* give_up = nullptr);

class SideShell final : public Shell {
 public:
  // `deliver` is called on this object's thread with the function to call on the thread of `run`.
  using Deliver = std::function<void(std::function<void()>)>;
  SideShell(std::filesystem::path folder, Duration limit, Deliver deliver);
  ~SideShell() override;  // kills the running command; drops the others

  void run(std::vector<std::string> command, Done done) override;

 private:
  struct Job {
    std::vector<std::string> command;
    Done done;
  };
  void serve();

  std::filesystem::path folder_;
  Duration limit_;
  Deliver deliver_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Job> jobs_;
  std::atomic<bool> ending_ = false;
  std::thread thread_;
};

}  // namespace sweepd
