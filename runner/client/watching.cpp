#include "runner/client/watching.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>

#include "runner/base/clock.h"
#include "runner/client/output.h"
#include "runner/client/progress_view.h"
#include "runner/client/study/total_progress.h"
#include "runner/wire/messages/queue.h"

namespace sweepd {

namespace {

constexpr Duration kRedraw = milliseconds(250);
constexpr Duration kPlainLines = seconds(1);

volatile std::sig_atomic_t interrupted = 0;
void on_interrupt(int) {
  interrupted = 1;
}
void on_resize(int) {}  // the signal ends the wait, so that the screen is redrawn

// Handlers without SA_RESTART: waiting returns, so that the loop can end or draw.
class SignalGuard {
 public:
  SignalGuard() {
    interrupted = 0;
    struct sigaction action {};
    action.sa_handler = on_interrupt;
    ::sigaction(SIGINT, &action, &old_interrupt_);
    action.sa_handler = on_resize;
    ::sigaction(SIGWINCH, &action, &old_resize_);
  }
  ~SignalGuard() {
    ::sigaction(SIGINT, &old_interrupt_, nullptr);
    ::sigaction(SIGWINCH, &old_resize_, nullptr);
  }
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;

 private:
  struct sigaction old_interrupt_ {};
  struct sigaction old_resize_ {};
};

bool is_live_terminal() {
  const char* term = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) != 0 && term != nullptr && std::strcmp(term, "dumb") != 0;
}

Screen screen_now() {
  Screen screen;
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    screen.width = size.ws_col;
    if (size.ws_row > 0) screen.height = size.ws_row;
  }
  const char* none = std::getenv("NO_COLOR");  // no-color.org: set and not empty
  screen.colour = none != nullptr && *none != '\0' ? Colour::kNo : Colour::kYes;
  return screen;
}

class Display {
 public:
  explicit Display(std::string name) : name_(std::move(name)), live_(is_live_terminal()) {}

  void update(const rpc::Progress& progress) {
    view_ = progress_view(name_, progress);
    received_ = now_instant();
    for (const rpc::EndedEntry& ended : progress.ended) {
      if (ended.outcome != name_of(Outcome::kDone)) problems_.push_back(ended);
    }
    if (progress.trouble != trouble_) {
      notes_.push_back(progress.trouble.empty() ? "attempts start again"
                                                : trouble_line(progress.trouble));
    }
    trouble_ = progress.trouble;
    if (progress.paused != paused_ && !progress.over) {
      notes_.push_back(pause_line(name_, progress.paused ? Pause::kBegins : Pause::kEnds));
    }
    paused_ = progress.paused;
    if (progress.paused_devices != paused_devices_ && !progress.over) {
      notes_.push_back(progress.paused_devices.empty()
                           ? "all devices are in use again"
                           : paused_devices_line(progress.paused_devices));
    }
    paused_devices_ = progress.paused_devices;
    changed_ = true;
  }
  // Draws if the pause is over, or at once with kNow.
  enum class Urgency { kWhenDue, kNow };
  void draw(Urgency urgency) {
    if (!view_) return;
    const Instant now = now_instant();
    const Duration pause = live_ ? kRedraw : kPlainLines;
    if (urgency == Urgency::kWhenDue && drawn_ && now - *drawn_ < pause) return;
    live_ ? draw_live(now) : draw_plain();
    std::fflush(stderr);
    drawn_ = now;
    changed_ = false;
  }
  // Leaves the last state on the screen, without the attempts that ran.
  void leave() {
    if (view_) {
      view_->running.clear();
      view_->waiting.clear();
    }
    draw(Urgency::kNow);
  }
  Duration pause() const { return changed_ || !live_ ? kRedraw : seconds(1); }

 private:
  void draw_live(Instant now) {
    const Screen screen = screen_now();
    std::string out = erase_lines(widths_, screen.width);
    for (const rpc::EndedEntry& problem : problems_)
      out += problem_line(problem, screen.colour) + "\n";
    for (const std::string& note : notes_) out += note + "\n";
    problems_.clear();
    notes_.clear();
    widths_.clear();
    for (const std::string& line : live_lines(*view_, screen, now - received_)) {
      out += line + "\n";
      widths_.push_back(visible_width(line));
    }
    fmt::print(stderr, "{}", out);
  }
  void draw_plain() {
    for (const rpc::EndedEntry& problem : problems_) {
      fmt::print(stderr, "{}\n", problem_line(problem, Colour::kNo));
    }
    for (const std::string& note : notes_) fmt::print(stderr, "{}\n", note);
    problems_.clear();
    notes_.clear();
    // The time left changes constantly, so a change of it alone is not printed.
    ProgressView counts = *view_;
    counts.left.reset();
    const std::string key = plain_line(counts);
    if (key != said_) fmt::print(stderr, "{}\n", plain_line(*view_));
    said_ = key;
  }

  std::string name_;
  bool live_;
  std::optional<ProgressView> view_;
  Instant received_;
  std::vector<rpc::EndedEntry> problems_;  // not printed yet
  std::vector<std::string> notes_;         // not printed yet
  std::string trouble_;
  bool paused_ = false;
  std::vector<std::string> paused_devices_;
  std::vector<std::size_t> widths_;
  std::optional<Instant> drawn_;
  std::string said_;
  bool changed_ = false;
};

Exit last_word(const rpc::Counts& counts, const std::string& why) {
  if (counts.done() == counts.total) return Exit::kOk;
  fmt::print(stderr, "{} of {} not done; why: {}\n", counts.total - counts.done(),
             counted(counts.total, "attempt"), why);
  return Exit::kNotAllDone;
}

// What is followed as one, and what to say about it.
struct Followed {
  std::vector<std::string> ids;
  std::string goes_on;  // after Ctrl-C
  std::string why;      // where people see why something is not done
};

// `early` are notifications that have arrived already.
Exit follow(Connection& connection, Display& display, const Followed& followed,
            std::deque<nlohmann::json> early = {}) {
  std::map<std::string, rpc::Progress> states;
  while (true) {
    Result<std::optional<nlohmann::json>> news = std::optional<nlohmann::json>();
    if (early.empty()) {
      news = connection.next_notification(display.pause());
    } else {
      news = std::optional<nlohmann::json>(std::move(early.front()));
      early.pop_front();
    }
    if (interrupted != 0) {
      display.leave();
      fmt::print(stderr, "{}\n", followed.goes_on);
      return Exit::kInterrupted;
    }
    auto progress = news ? Result<std::optional<rpc::Progress>>(std::nullopt) : news.error();
    if (news && *news) progress = news_of<rpc::Progress>(**news);
    if (!progress) {
      display.leave();
      return report_error(progress.error());
    }
    if (*progress && std::ranges::find(followed.ids, (*progress)->sweep) != followed.ids.end()) {
      states[(*progress)->sweep] = **progress;
      rpc::Progress total = total_of(states);
      total.ended = std::move((*progress)->ended);
      display.update(total);
      if (total.over && states.size() == followed.ids.size()) {
        display.leave();
        return last_word(total.counts, followed.why);
      }
    }
    display.draw(Display::Urgency::kWhenDue);
  }
}

}  // namespace

Exit watch_sweep(Client& client, const std::string& sweep) {
  const SignalGuard guard;
  const auto found = client.call<rpc::Watch>({sweep});
  if (!found && interrupted != 0) return Exit::kInterrupted;
  if (!found) return report_error(found.error());
  const auto connection = client.connection();
  if (!connection) return report_error(connection.error());
  Display display(found->sweep.name);
  const std::string id(short_id(found->sweep.id));
  return follow(**connection, display,
                {{found->sweep.id},
                 "the sweep goes on; watch it again with: sweepctl watch " + id,
                 "sweepctl show " + id});
}

Exit watch_together(Client& client, const std::string& name, const std::vector<std::string>& ids) {
  const SignalGuard guard;
  const auto connection = client.connection();
  if (!connection) return report_error(connection.error());
  Display display(name);
  // News of the first may arrive before the reply about the last.
  std::deque<nlohmann::json> early;
  const auto keep = [&early](nlohmann::json news) { early.push_back(std::move(news)); };
  for (const std::string& id : ids) {
    const auto found = client.call<rpc::Watch>({id}, keep);
    if (!found && interrupted != 0) return Exit::kInterrupted;
    if (!found) return report_error(found.error());
  }
  return follow(
      **connection, display,
      {ids, "the sweeps go on; the same command continues", "sweepctl list, sweepctl show SWEEP"},
      std::move(early));
}

}  // namespace sweepd
