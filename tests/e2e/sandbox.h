// A state folder of its own, the real programs on it, and everything gone at the end.
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
  // `worker`: the program the daemon runs attempts with.
  explicit Sandbox(std::string worker = TEST_SWEEP_WORKER);
  ~Sandbox();
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;

  Ran ctl(const std::vector<std::string>& arguments, const std::string& input = "") const;
  // Started, not waited for.
  pid_t ctl_in_background(const std::vector<std::string>& arguments) const;
  Ran run(const std::string& program, const std::vector<std::string>& arguments) const;

  std::string write(const std::string& name, const std::string& text) const;  // the file's path
  std::filesystem::path state() const { return folder_ / "state"; }
  std::filesystem::path folder() const { return folder_; }

  pid_t daemon_pid() const;
  void kill_daemon() const;  // SIGKILL, and waits until it is gone
  std::vector<pid_t> worker_pids() const;

  // One value from the database, as text; "" for NULL or no row.
  std::string sql(const std::string& query) const;
  // Sends one line to the socket and returns the first line of the answer.
  std::string ask(const std::string& line) const;

 private:
  std::filesystem::path folder_;
  std::string worker_;
};

// False for a zombie too: in a container nobody may ever reap it.
bool is_alive(pid_t pid);

// Polls, as a test must that looks from outside; fails the test after 60 s.
bool eventually(const std::function<bool()>& holds);

}  // namespace sweepd::e2e
