#include "runner/daemon/watchers.h"

#include <spdlog/spdlog.h>

#include <boost/asio/co_spawn.hpp>

#include "runner/wire/rpc.h"

namespace sweepd {

namespace asio = boost::asio;
using nlohmann::json;

namespace {
constexpr std::chrono::milliseconds kGather{100};
}

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
  if (watches_.empty() || std::exchange(armed_, true)) return;
  timer_.expires_after(kGather);
  timer_.async_wait([this](const boost::system::error_code& error) {
    armed_ = false;
    if (error) return;
    asio::co_spawn(
        io_, [this] { return tell_all(); },
        [](const std::exception_ptr& failure) {
          if (failure) spdlog::error("telling the watchers failed");
        });
  });
}

asio::awaitable<void> Watchers::tell_all() {
  const auto watches = watches_;  // adding and removing while we wait for the database is fine
  for (const auto& watch : watches) co_await tell(watch);
  std::erase_if(watches_,
                [](const auto& watch) { return watch->over || watch->session.expired(); });
}

asio::awaitable<void> Watchers::tell(std::shared_ptr<Watch> watch) {
  // The news are taken before the counts are read: a count may be ahead of the news, never behind.
  std::vector<EndedAttempt> news = std::exchange(watch->news, {});
  const SweepId sweep = watch->sweep;
  const auto ask = [sweep](Reader& reader) { return reader.progress(sweep); };
  const auto progress = co_await readers_.run(ask);
  const auto session = watch->session.lock();
  if (!session || watch->over) co_return;
  if (!progress) {
    spdlog::error("progress of {}: {}", watch->sweep, progress.error().message);
    // The news wait for the next try, in front of what came meanwhile.
    watch->news.insert(watch->news.begin(), news.begin(), news.end());
    changed();
    co_return;
  }
  json running = json::array();
  for (const RunningAttempt& run : dispatcher_->running()) {
    if (!watch->trials.contains(run.trial_key)) continue;
    running.push_back({{"attempt", run.id},
                       {"label", run.label},
                       {"pass", name_of(run.pass)},
                       {"elapsed_ns", (now_wall() - run.started).ns},
                       {"step", run.step},
                       {"phase", run.phase}});
  }
  json ended = json::array();
  for (const EndedAttempt& attempt : news) {
    ended.push_back({{"attempt", attempt.id},
                     {"label", attempt.label},
                     {"pass", name_of(attempt.pass)},
                     {"outcome", name_of(outcome_of(attempt.ending))},
                     {"detail", describe(attempt.ending)}});
  }
  watch->over = progress->ended() == progress->total;
  session->send(notification_line("progress", {{"sweep", watch->sweep},
                                               {"counts", to_json(*progress)},
                                               {"running", running},
                                               {"ended", ended},
                                               {"over", watch->over}}));
}

}  // namespace sweepd
