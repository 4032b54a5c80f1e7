#include "runner/daemon/watchers.h"

#include <spdlog/spdlog.h>

#include <boost/asio/co_spawn.hpp>

#include "runner/wire/rpc.h"

namespace sweepd {

namespace asio = boost::asio;
using nlohmann::json;

namespace {

constexpr std::chrono::milliseconds kGather{100};
constexpr std::chrono::seconds kBeat{1};
constexpr Duration kPaceAge = seconds(1);  // reading it costs a pass over the sweep's attempts

struct News {
  Progress counts;
  std::optional<std::vector<PassPace>> pace;
};

Result<News> read_news(Reader& reader, const SweepId& sweep, bool with_pace) {
  const auto counts = reader.progress(sweep);
  if (!counts) return counts.error();
  News news{*counts, std::nullopt};
  if (!with_pace) return news;
  auto pace = reader.pace(sweep);
  if (!pace) return pace.error();
  news.pace = std::move(*pace);
  return news;
}

json ended_json(const EndedAttempt& attempt) {
  return {{"attempt", attempt.id},
          {"label", attempt.label},
          {"pass", name_of(attempt.pass)},
          {"outcome", name_of(outcome_of(attempt.ending))},
          {"detail", describe(attempt.ending)}};
}

}  // namespace

json to_json(const Progress& p) {
  return {{"total", p.total},     {"queued", p.queued}, {"running", p.running},
          {"done", p.done},       {"oom", p.oom},       {"timeout", p.timeout},
          {"crashed", p.crashed}, {"failed", p.failed}, {"cancelled", p.cancelled},
          {"skipped", p.skipped}, {"ended", p.ended()}};
}

void Watchers::add(std::weak_ptr<Session> session, SweepId sweep,
                   std::unordered_set<TrialKey> trials) {
  auto watch = std::make_shared<Watch>();
  watch->session = std::move(session);
  watch->sweep = std::move(sweep);
  watch->trials = std::move(trials);
  watches_.push_back(std::move(watch));
  changed();
}

void Watchers::ended(const EndedAttempt& attempt) {
  for (const auto& watch : watches_) {
    if (watch->trials.contains(attempt.trial_key)) watch->news.push_back(attempt);
  }
  changed();
}

void Watchers::changed() {
  for (const auto& watch : watches_) watch->stale = true;
  if (watches_.empty() || std::exchange(armed_, true)) return;
  timer_.expires_after(kGather);
  timer_.async_wait([this](const boost::system::error_code& error) {
    armed_ = false;
    if (!error) spawn_tell_all();
  });
}

void Watchers::spawn_tell_all() {
  asio::co_spawn(
      io_, [this] { return tell_all(); },
      [](const std::exception_ptr& failure) {
        if (failure) spdlog::error("telling the watchers failed");
      });
}

asio::awaitable<void> Watchers::tell_all() {
  const auto watches = watches_;  // adding and removing while we wait for the database is fine
  for (const auto& watch : watches) co_await tell(watch);
  std::erase_if(watches_,
                [](const auto& watch) { return watch->over || watch->session.expired(); });
  arm_beat();
}

// Each call puts the beat off: it comes a second after the last message.
void Watchers::arm_beat() {
  if (watches_.empty() || dispatcher_->running().empty()) return;
  beat_.expires_after(kBeat);
  beat_.async_wait([this](const boost::system::error_code& error) {
    if (!error) spawn_tell_all();
  });
}

json Watchers::running_json(const Watch& watch, std::vector<RunningFor>& running) const {
  json list = json::array();
  for (const RunningAttempt& run : dispatcher_->running()) {
    if (!watch.trials.contains(run.trial_key)) continue;
    const Duration elapsed = now_wall() - run.started;
    running.push_back({run.pass, elapsed});
    list.push_back({{"attempt", run.id},
                    {"label", run.label},
                    {"pass", name_of(run.pass)},
                    {"elapsed_ns", elapsed.ns},
                    {"step", run.step},
                    {"phase", run.phase}});
  }
  return list;
}

asio::awaitable<void> Watchers::tell(std::shared_ptr<Watch> watch) {
  // The news are taken before the counts are read: a count may be ahead of the news, never behind.
  std::vector<EndedAttempt> news = std::exchange(watch->news, {});
  if (std::exchange(watch->stale, false)) {
    const SweepId sweep = watch->sweep;
    const bool with_pace = !watch->pace_read || now_instant() - *watch->pace_read >= kPaceAge;
    const auto ask = [sweep, with_pace](Reader& reader) {
      return read_news(reader, sweep, with_pace);
    };
    auto read = co_await readers_.run(ask);
    if (!read) {
      spdlog::error("progress of {}: {}", watch->sweep, read.error().message);
      // The news wait for the next try, in front of what came meanwhile.
      watch->news.insert(watch->news.begin(), news.begin(), news.end());
      changed();
      co_return;
    }
    watch->counts = read->counts;
    if (read->pace) {
      watch->pace = std::move(*read->pace);
      watch->pace_read = now_instant();
    } else {
      watch->stale = true;  // the next beat reads it
    }
  }
  const auto session = watch->session.lock();
  if (!session || watch->over) co_return;
  std::vector<RunningFor> running;
  json running_list = running_json(*watch, running);
  const auto left = time_left(watch->pace, running);
  json ended = json::array();
  for (const EndedAttempt& attempt : news) ended.push_back(ended_json(attempt));
  watch->over = watch->counts.ended() == watch->counts.total;
  session->send(notification_line("progress", {{"sweep", watch->sweep},
                                               {"counts", to_json(watch->counts)},
                                               {"running", std::move(running_list)},
                                               {"ended", ended},
                                               {"left_ns", left ? json(left->ns) : json()},
                                               {"over", watch->over}}));
}

}  // namespace sweepd
