#include "runner/client/watching.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <deque>
#include <map>
#include <utility>

#include "runner/base/clock.h"
#include "runner/client/output.h"
#include "runner/client/progress_display.h"
#include "runner/client/study/total_progress.h"
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

// While it lives, Ctrl-C ends the program at once.
class DefaultInterrupt {
 public:
  DefaultInterrupt() {
    struct sigaction action {};
    action.sa_handler = SIG_DFL;
    ::sigaction(SIGINT, &action, &old_);
  }
  ~DefaultInterrupt() { ::sigaction(SIGINT, &old_, nullptr); }
  DefaultInterrupt(const DefaultInterrupt&) = delete;
  DefaultInterrupt& operator=(const DefaultInterrupt&) = delete;

 private:
  struct sigaction old_ {};
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
  std::string goes_on;    // after Ctrl-C
  std::string continues;  // the command that follows it again
  std::string why;        // where people see why something is not done
};

using Notifications = std::deque<nlohmann::json>;

// Asks for the news of all of these. `early` gets what arrives before the last reply.
Result<void> ask_for_news(Client& client, const std::vector<std::string>& ids,
                          Notifications& early) {
  const auto keep = [&early](nlohmann::json news) { early.push_back(std::move(news)); };
  for (const std::string& id : ids) {
    const auto found = client.call<rpc::Watch>({id}, keep);
    if (!found) return found.error();
  }
  return {};
}

// Follows sweeps from daemon to daemon: one that dies is replaced, as by any other command. One
// that was told to stop is not started again, but the next may be someone else's doing: a service
// that restarts it, an upgrade.
class Follower {
 public:
  // News are asked for already; `early` are those that have arrived.
  Follower(Client& client, Connection& connection, ProgressDisplay& display, Followed followed,
           Notifications early = {})
      : client_(client),
        connection_(&connection),
        display_(display),
        followed_(std::move(followed)),
        early_(std::move(early)) {}

  Exit follow() {
    while (true) {
      auto news = next();
      Result<void> heard = news ? hear(*news) : news.error();
      if (!heard && interrupted == 0 && client_.lost()) heard = find_next_daemon(heard.error());
      if (interrupted != 0) {
        display_.leave();
        fmt::print(stderr, "{}\n", followed_.goes_on);
        return Exit::kInterrupted;
      }
      if (!heard) {
        display_.leave();
        return report_error(heard.error());
      }
      if (over_) {
        display_.leave();
        return last_word(*over_, followed_.why);
      }
      display_.draw(ProgressDisplay::Urgency::kWhenDue);
    }
  }

 private:
  // A daemon that dies again and again would be started forever.
  static constexpr int kMostLosses = 5;
  static constexpr Duration kCalm = seconds(60);  // one that lived so long starts the count anew
  // How long the next one may take after one that was told to stop.
  static constexpr Duration kRestart = seconds(10);

  Result<std::optional<nlohmann::json>> next() {
    if (early_.empty()) return connection_->next_notification(display_.pause());
    auto news = std::optional(std::move(early_.front()));
    early_.pop_front();
    return news;
  }

  Result<void> hear(const std::optional<nlohmann::json>& news) {
    if (!news) return {};
    const auto stopping = news_of<rpc::Stopping>(*news);
    if (!stopping) return stopping.error();
    if (*stopping) {
      told_to_stop_ = true;
      display_.note((*stopping)->now ? "! the daemon was told to stop; running attempts go on, and "
                                       "what is queued is kept"
                                     : "! the daemon was told to stop; it ends when the running "
                                       "attempts have ended, and what is queued is kept");
      return {};
    }
    auto progress = news_of<rpc::Progress>(*news);
    if (!progress) return progress.error();
    if (*progress) update(std::move(**progress));
    return {};
  }

  void update(rpc::Progress progress) {
    if (std::ranges::find(followed_.ids, progress.sweep) == followed_.ids.end()) return;
    auto ended = std::exchange(progress.ended, {});
    states_[progress.sweep] = std::move(progress);
    rpc::Progress total = total_of(states_);
    total.ended = std::move(ended);
    display_.update(total);
    if (total.over && states_.size() == followed_.ids.size()) over_ = total.counts;
  }

  Result<void> find_next_daemon(const Error& loss) {
    const Instant now = now_instant();
    losses_ = now - attached_ < kCalm ? losses_ + 1 : 1;
    if (losses_ > kMostLosses) {
      return Error{loss.code, fmt::format("the daemon ended {} times, each within a minute; its "
                                          "log: {}",
                                          losses_, client_.state().log().string())};
    }
    if (!told_to_stop_) display_.note("! the daemon is gone; the next one continues");
    display_.draw(ProgressDisplay::Urgency::kNow);
    const auto connection = next_connection();
    if (!connection) return connection.error();
    connection_ = *connection;
    told_to_stop_ = false;
    attached_ = now_instant();
    early_.clear();
    const auto asked = ask_for_news(client_, followed_.ids, early_);
    // Lost once more: the connection's end is read again, and counted.
    if (!asked && client_.lost()) return {};
    return asked;
  }

  Result<Connection*> next_connection() {
    const DefaultInterrupt may_be_interrupted;
    if (!told_to_stop_ && !client_.no_start) return client_.connect_again();
    auto restarted = client_.wait_for_daemon(kRestart);
    if (restarted) return restarted;
    if (!told_to_stop_) return restarted;
    return Error{ErrorCode::kUnavailable,
                 "the daemon was stopped; what is queued is kept, and this continues: " +
                     followed_.continues};
  }

  Client& client_;
  Connection* connection_;
  ProgressDisplay& display_;
  const Followed followed_;
  Notifications early_;
  std::map<std::string, rpc::Progress> states_;
  std::optional<rpc::Counts> over_;
  bool told_to_stop_ = false;
  int losses_ = 0;
  Instant attached_ = now_instant();
};

}  // namespace

Exit watch_sweep(Client& client, const std::string& sweep) {
  const SignalGuard guard;
  auto found = client.call<rpc::Watch>({sweep});
  if (!found && interrupted == 0 && client.lost() && !client.no_start) {
    // It answered the request before this one: whoever submits and waits must not lose the sweep.
    const auto next = client.connect_again();
    if (!next) return report_error(next.error());
    found = client.call<rpc::Watch>({sweep});
  }
  if (!found && interrupted != 0) return Exit::kInterrupted;
  if (!found) return report_error(found.error());
  const auto connection = client.connection();
  if (!connection) return report_error(connection.error());
  ProgressDisplay display(found->sweep.name);
  const std::string id(short_id(found->sweep.id));
  return Follower(client, **connection, display,
                  {{found->sweep.id},
                   "the sweep goes on; watch it again with: sweepctl watch " + id,
                   "sweepctl watch " + id,
                   "sweepctl show " + id})
      .follow();
}

Exit watch_together(Client& client, const std::string& name, const std::vector<std::string>& ids) {
  const SignalGuard guard;
  const auto connection = client.connection();
  if (!connection) return report_error(connection.error());
  ProgressDisplay display(name);
  Notifications early;
  const auto asked = ask_for_news(client, ids, early);
  if (!asked && interrupted != 0) return Exit::kInterrupted;
  if (!asked) return report_error(asked.error());
  return Follower(client, **connection, display,
                  {ids, "the sweeps go on; the same command continues", "the same command",
                   "sweepctl list, sweepctl show SWEEP"},
                  std::move(early))
      .follow();
}

}  // namespace sweepd
