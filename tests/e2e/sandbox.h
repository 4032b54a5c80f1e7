// A private state folder with the real programs. Everything is removed at the end. A test fails
// if a sanitizer found something in any of them.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace sweepd::e2e {

struct Ran {
  int exit_code = -1;
  std::string out, err;
};

class Sandbox {
 public:
  // `worker` is the program with which the daemon runs attempts.
  explicit Sandbox(std::string worker = TEST_SWEEP_WORKER);
  ~Sandbox();
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;

  Ran ctl(const std::vector<std::string>& arguments, const std::string& input = "") const;
  // Starts the command and does not wait for it.
  pid_t ctl_in_background(const std::vector<std::string>& arguments) const;
  Ran run(const std::string& program, const std::vector<std::string>& arguments) const;

  std::string write(const std::string& name, const std::string& text) const;  // the file's path
  std::filesystem::path state() const { return folder_ / "state"; }
  std::filesystem::path folder() const { return folder_; }

  pid_t daemon_pid() const;
  void kill_daemon() const;  // SIGKILL, and waits for its end
  std::vector<pid_t> worker_pids() const;

  // Returns one value from the database as text; "" for NULL or no row.
  std::string sql(const std::string& query) const;
  // Sends one line to the socket and returns the first line of the answer.
  std::string ask(const std::string& line) const;

 private:
  std::filesystem::path folder_;
  std::string worker_;
};

// Returns false for a zombie too, because in a container it may never be reaped.
bool is_alive(pid_t pid);

// Polls, because the test sees the program from outside; fails the test after 60 s.
bool eventually(const std::function<bool()>& holds);

}  // namespace sweepd::e2e
