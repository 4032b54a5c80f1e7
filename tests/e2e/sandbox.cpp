#include "tests/e2e/sandbox.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <thread>

#include "runner/base/proc.h"
#include "runner/base/unique_fd.h"

namespace sweepd::e2e {

namespace fs = std::filesystem;

namespace {

std::string slurp(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

pid_t start(const std::string& program, const std::vector<std::string>& arguments,
            const fs::path& in, const fs::path& out, const fs::path& err) {
  std::vector<std::string> all{program};
  all.insert(all.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& argument : all) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::dup2(::open(in.c_str(), O_RDONLY), STDIN_FILENO);
    ::dup2(::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
    ::dup2(::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
    ::execv(program.c_str(), argv.data());
    ::_exit(127);
  }
  return pid;
}

// The file for sanitizers' findings in programs that tests start. No test reads the stderr of most
// of these programs, such as the daemon.
constexpr auto kFindings = "sanitizer";

void collect_findings(const fs::path& folder) {
  static std::map<std::string, std::string> given;
  for (const char* name : {"ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS"}) {
    const char* options = std::getenv(name);
    const std::string& before =
        given.emplace(name, options == nullptr ? "" : options).first->second;
    const std::string path = (folder / kFindings).string();
    ::setenv(name, (before + (before.empty() ? "" : ":") + "log_path=" + path).c_str(), 1);
  }
}

void fail_for_findings(const fs::path& folder) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (!entry.path().filename().string().starts_with(kFindings)) continue;
    ADD_FAILURE() << "a program that this test started:\n" << slurp(entry.path());
  }
}

}  // namespace

Sandbox::Sandbox(std::string worker) : worker_(std::move(worker)) {
  std::string pattern = (fs::temp_directory_path() / "sweepd-e2e-XXXXXX").string();
  folder_ = ::mkdtemp(pattern.data());
  ::setenv("SWEEPD_STATE_DIR", state().c_str(), 1);
  ::setenv("SWEEPD_WORKER", worker_.c_str(), 1);
  // Nor the tester's configuration.
  ::setenv("XDG_CONFIG_HOME", (folder_ / "config").c_str(), 1);
  ::unsetenv("SWEEPD_CONFIG");
  // The other tests' load must not mark a result as suspect. Set to 1 from outside, it shows which
  // tests fail on such marks.
  ::setenv("SWEEPD_CORES_LOST", "0", 0);
  ::setenv("SWEEPD_POWERCAP", "none", 0);  // the number of samples depends on these two
  ::setenv("SWEEPD_NO_SAMPLING", "1", 0);
  // A test's compiled packages must not depend on earlier compilations here.
  ::setenv("SWEEPD_AOT_DIR", (folder_ / "aot").c_str(), 1);
  collect_findings(folder_);
}

Sandbox::~Sandbox() {
  const pid_t daemon = daemon_pid();
  if (daemon > 0 && is_alive(daemon)) {
    ctl({"stop", "--now"});
    eventually([daemon] { return !is_alive(daemon); });  // until then it writes its log
  }
  // A test may have written any number to a pid file, so only our own group leader is killed.
  for (const pid_t pid : worker_pids()) {
    if (pid > 1 && ::getpgid(pid) == pid && pid != ::getpgrp()) ::kill(-pid, SIGKILL);
  }
  fail_for_findings(folder_);
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

Ran Sandbox::run(const std::string& program, const std::vector<std::string>& arguments) const {
  static std::atomic<int> counter = 0;  // a test may run programs in several threads
  const std::string base = (folder_ / ("io" + std::to_string(counter++))).string();
  if (!fs::exists(base + ".in")) std::ofstream(base + ".in").flush();
  const pid_t pid = start(program, arguments, base + ".in", base + ".out", base + ".err");
  int status = 0;
  ::waitpid(pid, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), slurp(base + ".out"),
          slurp(base + ".err")};
}

Ran Sandbox::ctl(const std::vector<std::string>& arguments, const std::string& input) const {
  static std::atomic<int> counter = 0;  // a test may run programs in several threads
  const std::string base = (folder_ / ("ctl" + std::to_string(counter++))).string();
  std::ofstream(base + ".in") << input;
  const pid_t pid = start(SWEEPCTL, arguments, base + ".in", base + ".out", base + ".err");
  int status = 0;
  ::waitpid(pid, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), slurp(base + ".out"),
          slurp(base + ".err")};
}

pid_t Sandbox::ctl_in_background(const std::vector<std::string>& arguments) const {
  return start(SWEEPCTL, arguments, "/dev/null", folder_ / "background.out",
               folder_ / "background.err");
}

std::string Sandbox::write(const std::string& name, const std::string& text) const {
  const fs::path path = folder_ / name;
  std::ofstream(path) << text;
  return path;
}

pid_t Sandbox::daemon_pid() const {
  pid_t pid = 0;
  std::ifstream(state() / "lock") >> pid;
  return pid;
}

void Sandbox::kill_daemon() const {
  const pid_t pid = daemon_pid();
  ::kill(pid, SIGKILL);
  eventually([pid] { return !is_alive(pid); });
}

std::vector<pid_t> Sandbox::worker_pids() const {
  std::vector<pid_t> pids;
  std::error_code ignored;
  for (const auto& entry : fs::recursive_directory_iterator(state() / "runs", ignored)) {
    if (!entry.path().filename().string().starts_with("pid.")) continue;
    pid_t pid = 0;
    std::ifstream(entry.path()) >> pid;
    if (pid > 0 && is_alive(pid)) pids.push_back(pid);
  }
  return pids;
}

std::string Sandbox::sql(const std::string& query) const {
  SQLite::Database database((state() / "results.db").string(), SQLite::OPEN_READONLY, 5000);
  SQLite::Statement statement(database, query);
  return statement.executeStep() ? statement.getColumn(0).getString() : "";
}

std::string Sandbox::ask(const std::string& line) const {
  const UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM, 0));
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::strncpy(name.sun_path, (state() / "sweepd.sock").c_str(), sizeof name.sun_path - 1);
  if (::connect(fd.get(), reinterpret_cast<sockaddr*>(&name), sizeof name) != 0) return "no daemon";
  const std::string text = line + "\n";
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t n = ::send(fd.get(), text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (n <= 0) break;
    sent += static_cast<std::size_t>(n);
  }
  std::string answer;
  char c = 0;
  while (::recv(fd.get(), &c, 1, 0) == 1 && c != '\n') answer += c;
  return answer;
}

bool is_alive(pid_t pid) {
  // Not by its command line, which is empty while the kernel loads the program.
  const auto stat = read_proc_stat(pid);
  return stat && !stat->ended();
}

bool eventually(const std::function<bool()>& holds) {
  for (int i = 0; i < 3000; ++i) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

}  // namespace sweepd::e2e
