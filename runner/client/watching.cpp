#include "runner/client/watching.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "runner/base/text.h"
#include "runner/base/units.h"

namespace sweepd {

using nlohmann::json;

namespace {

volatile std::sig_atomic_t interrupted = 0;
void on_interrupt(int) {
  interrupted = 1;
}

// Without SA_RESTART: the blocking read returns, and the loop can say goodbye.
class InterruptGuard {
 public:
  InterruptGuard() {
    interrupted = 0;
    struct sigaction action {};
    action.sa_handler = on_interrupt;
    ::sigaction(SIGINT, &action, &old_);
  }
  ~InterruptGuard() { ::sigaction(SIGINT, &old_, nullptr); }
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  struct sigaction old_ {};
};

std::size_t stderr_width() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

class Display {
 public:
  explicit Display(std::string name)
      : name_(std::move(name)), terminal_(::isatty(STDERR_FILENO) != 0) {}

  void update(const json& params) {
    for (const json& ended : params["ended"]) {
      if (ended["outcome"] != "done") print_problem(ended);
    }
    const std::string line = progress_line(params);
    if (terminal_) {
      fmt::print(stderr, "\r\x1b[K{}", line.substr(0, stderr_width() - 1));
    } else if (line != last_) {
      fmt::print(stderr, "{}\n", line);
    }
    last_ = line;
    std::fflush(stderr);
  }
  void finish_line() {
    if (terminal_ && !last_.empty()) fmt::print(stderr, "\n");
  }

 private:
  void print_problem(const json& ended) {
    const std::string id = ended["attempt"];
    if (terminal_) fmt::print(stderr, "\r\x1b[K");
    fmt::print(stderr, "{} {}: {} ({} pass, attempt {})\n", ended["outcome"].get<std::string>(),
               ended["label"].get<std::string>(), ended["detail"].get<std::string>(),
               ended["pass"].get<std::string>(), short_id(id));
  }

  std::string progress_line(const json& params) const {
    const json& counts = params["counts"];
    const auto total = counts["total"].get<std::int64_t>();
    const auto ended = counts["ended"].get<std::int64_t>();
    std::string line = fmt::format("{}: {}/{} done", name_, ended, total);
    for (const char* outcome : {"oom", "timeout", "crashed", "failed", "cancelled", "skipped"}) {
      if (counts[outcome] != 0) line += fmt::format(", {} {}", counts[outcome].get<int>(), outcome);
    }
    for (const json& run : params["running"]) {
      line +=
          fmt::format(" | {} {}", run["label"].get<std::string>(),
                      terminal_ ? to_human(Duration{run["elapsed_ns"].get<std::int64_t>()}) : "");
    }
    return std::string(trim(line));
  }

  std::string name_;
  bool terminal_;
  std::string last_;
};

Exit last_word(const json& counts, const std::string& id) {
  const bool all_done = counts["done"] == counts["total"];
  if (all_done) return Exit::kOk;
  const auto count = [&counts](const char* name) { return counts[name].get<std::int64_t>(); };
  fmt::print(stderr, "{} of {} attempts are not done; why: sweepctl show {}\n",
             count("total") - count("done"), count("total"), short_id(id));
  return Exit::kNotAllDone;
}

}  // namespace

Exit watch_sweep(Client& client, const std::string& sweep) {
  const InterruptGuard guard;
  const auto found = client.call("watch", {{"sweep", sweep}});
  if (!found) return report_error(found.error());
  const std::string id = (*found)["sweep"]["id"];
  const auto connection = client.connection();
  if (!connection) return report_error(connection.error());
  Display display((*found)["sweep"]["name"].get<std::string>());
  while (true) {
    const auto news = (*connection)->next_notification();
    if (!news && interrupted != 0) {
      display.finish_line();
      fmt::print(stderr, "the sweep goes on; watch it again with: sweepctl watch {}\n",
                 short_id(id));
      return Exit::kInterrupted;
    }
    if (!news) {
      display.finish_line();
      return report_error(news.error());
    }
    const json& params = (*news)["params"];
    if ((*news)["method"] != "progress" || params["sweep"] != id) continue;
    display.update(params);
    if (params["over"].get<bool>()) {
      display.finish_line();
      return last_word(params["counts"], id);
    }
  }
}

}  // namespace sweepd
