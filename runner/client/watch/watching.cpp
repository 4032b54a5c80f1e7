#include "runner/client/watch/watching.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "runner/base/clock.h"
#include "runner/base/say.h"
#include "runner/client/render/output.h"
#include "runner/client/watch/exit_message.h"
#include "runner/client/watch/progress_display.h"
#include "runner/client/watch/total_progress.h"
#include "runner/wire/messages/queue.h"

namespace sweepd {

namespace {

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

Exit last_word(const AttemptCounts& counts, const std::string& why) {
  if (counts.done() == counts.total) return Exit::kOk;
  say(stderr, "{} of {} not done; why: {}\n", counts.total - counts.done(),
      counted(counts.total, "attempt"), why);
  return Exit::kNotAllDone;
}

// The sweeps that are followed as one.
struct Followed {
  std::vector<std::string> sweeps;  // as the user names them; ids once the daemon has answered
  bool is_one = false;

  std::string continues() const {
    return is_one ? "sweepctl watch " + std::string(short_id(sweeps[0])) : "the same command";
  }
  // After Ctrl-C.
  std::string goes_on() const {
    return is_one ? "the sweep continues; watch it again with: " + continues()
                  : "the sweeps continue; the same command waits for them";
  }
  // The command that shows why attempts are not done.
  std::string why() const {
    return is_one ? "sweepctl show " + std::string(short_id(sweeps[0]))
                  : "sweepctl list, sweepctl show SWEEP";
  }
};

// Follows sweeps from daemon to daemon: a dead one is replaced, as by any other command. A
// stopped one is not started again, but a service or an upgrade may start the next.
class Follower {
 public:
  // Without a name, that of the sweep.
  Follower(Client& client, Followed followed, std::string name)
      : client_(client), followed_(std::move(followed)), display_(std::move(name)) {}

  Exit follow() {
    Result<void> heard = ask_for_news();
    while (true) {
      while (!heard && interrupted == 0 && is_lost(heard.error())) {
        heard = find_next_daemon(heard.error());
      }
      if (interrupted != 0) {
        display_.leave();
        say(stderr, "{}\n", followed_.goes_on());
        return Exit::kInterrupted;
      }
      if (!heard) {
        display_.leave();
        return report_error(heard.error());
      }
      if (over_) {
        display_.leave();
        return last_word(*over_, followed_.why());
      }
      display_.draw(ProgressDisplay::Urgency::kWhenDue);
      heard = hear_next();
    }
  }

 private:
  // Limits the restarts of a daemon that dies repeatedly.
  static constexpr int kMostLosses = 5;
  static constexpr Duration kCalm = seconds(60);  // one that lived this long resets the count
  // The wait for the next one after a stop.
  static constexpr Duration kRestart = seconds(10);
  // A start that fails later than this is not tried again.
  static constexpr Duration kQuickStart = seconds(10);

  // A count may be ahead of the news. Repeated news are printed once.
  static constexpr std::int64_t kOverlap = 20;

  static std::int64_t problems(const AttemptCounts& counts) { return counts.ended - counts.done(); }

  // Keeps messages that arrive before the last reply: one may say that the daemon stops.
  Result<void> ask_for_news() {
    const auto keep = [this](nlohmann::json news) { early_.push_back(std::move(news)); };
    for (int tries = 0; tries <= kMostLosses; ++tries) {
      const auto open = client_.connection();
      if (!open) return open.error();
      const int asked_on = client_.connections();
      early_.clear();
      for (std::string& sweep : followed_.sweeps) {
        rpc::Watch::Request request{sweep};
        if (losses_ > 0) request.past = rpc::Watch::kMostPast;  // news that may have been missed
        const auto found = client_.call<rpc::Watch>(request, keep);
        if (!found) return found.error();
        sweep = found->sweep.id;
        display_.name_if_none(found->sweep.name);
      }
      asked_ = {followed_.sweeps.begin(), followed_.sweeps.end()};
      if (asked_on == client_.connections()) return {};
      // The daemon was replaced since then, and the next one has only the last of these.
    }
    return Error{ErrorCode::kUnavailable, "the daemon ends again and again"};
  }

  Result<void> hear_next() {
    Result<std::optional<nlohmann::json>> news = std::optional<nlohmann::json>();
    if (!early_.empty()) {
      news = std::optional(std::move(early_.front()));
      early_.pop_front();
    } else {
      const auto connection = client_.connection();
      if (!connection) return connection.error();
      news = (*connection)->next_notification(display_.pause());
    }
    if (!news) return news.error();
    return *news ? hear(**news) : Result<void>();
  }

  Result<void> hear(const nlohmann::json& news) {
    const auto stopping = news_of<rpc::Stopping>(news);
    if (!stopping) return stopping.error();
    if (*stopping) {
      hear_of_stop((*stopping)->now);
      return {};
    }
    auto progress = news_of<rpc::Progress>(news);
    if (!progress) return progress.error();
    if (*progress) update(std::move(**progress));
    return {};
  }

  // Printed once for each sweep, and again on Ctrl-C.
  void hear_of_stop(bool now) {
    if (told_to_stop_ && (!now || *told_to_stop_)) return;
    told_to_stop_ = now;
    display_.note(now ? "! the daemon is stopping; running attempts finish, and queued ones wait"
                      : "! the daemon stops after the running attempts; queued ones wait");
  }

  void update(rpc::Progress progress) {
    if (std::ranges::find(followed_.sweeps, progress.sweep) == followed_.sweeps.end()) return;
    auto ended = std::exchange(progress.ended, {});
    rpc::Progress& state = states_[progress.sweep];
    // The first news of the next daemon begin with earlier problems: many more than were missed.
    const std::int64_t missed = problems(progress.counts) - problems(state.counts);
    const auto old = std::ssize(ended) - missed - kOverlap;
    const bool is_first = asked_.erase(progress.sweep) != 0;
    if (is_first && losses_ > 0 && old > 0) ended.erase(ended.begin(), ended.begin() + old);
    state = std::move(progress);
    rpc::Progress total = total_of(states_);
    total.ended = std::move(ended);
    display_.update(total);
    if (total.over && states_.size() == followed_.sweeps.size()) over_ = total.counts;
  }

  // The next daemon may die while it starts, or before it has answered.
  bool is_lost(const Error& error) const {
    if (gave_up_) return false;
    return client_.lost() || (losses_ > 0 && error.code == ErrorCode::kUnavailable);
  }

  Result<void> find_next_daemon(const Error& loss) {
    losses_ = now_instant() - attached_ < kCalm ? losses_ + 1 : 1;
    if (losses_ > kMostLosses) {
      gave_up_ = true;
      return Error{loss.code, fmt::format("the daemon ended {} times, each within a minute; its "
                                          "log: {}",
                                          losses_, client_.state().log().string())};
    }
    say_that_it_is_gone();
    const auto found = next_connection();
    gave_up_ = !found;
    if (!found) return found.error();
    told_to_stop_.reset();
    attached_ = now_instant();
    return ask_for_news();
  }

  void say_that_it_is_gone() {
    if (told_to_stop_) {
      display_.note(
          fmt::format("! the daemon has ended; this continues if another one starts within {} s",
                      kRestart.ns / seconds(1).ns));
    } else {
      display_.note(client_.no_start ? "! the daemon is gone"
                                     : "! the daemon is gone; the next one continues");
    }
    display_.draw(ProgressDisplay::Urgency::kNow);
  }

  Result<DaemonConnection*> next_connection() {
    const ExitMessage at_interrupt(followed_.goes_on());  // a connection attempt does not check for
                                                          // it
    if (!told_to_stop_ && !client_.no_start) return start_next();
    auto restarted = client_.wait_for_daemon(kRestart);
    if (restarted || !told_to_stop_) return restarted;
    return Error{ErrorCode::kUnavailable,
                 "the daemon was stopped; queued attempts wait, and this continues: " +
                     followed_.continues()};
  }

  // It may be killed while it starts, too.
  Result<DaemonConnection*> start_next() {
    while (true) {
      const Instant begin = now_instant();
      auto started = client_.connect_again();
      const bool again = client_.has_results() && now_instant() - begin < kQuickStart;
      if (started || !again || ++losses_ > kMostLosses) return started;
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
  }

  Client& client_;
  Followed followed_;
  ProgressDisplay display_;
  std::deque<nlohmann::json> early_;
  std::set<std::string> asked_;  // sweeps whose first news from this daemon have not come
  std::map<std::string, rpc::Progress> states_;
  std::optional<AttemptCounts> over_;
  std::optional<bool> told_to_stop_;  // whether at once
  int losses_ = 0;
  bool gave_up_ = false;
  Instant attached_ = now_instant();
};

}  // namespace

Exit watch_sweep(Client& client, const std::string& sweep) {
  const SignalGuard guard;
  return Follower(client, {{sweep}, true}, "").follow();
}

Exit watch_together(Client& client, const std::string& name, const std::vector<std::string>& ids) {
  const SignalGuard guard;
  return Follower(client, {ids, false}, name).follow();
}

}  // namespace sweepd
