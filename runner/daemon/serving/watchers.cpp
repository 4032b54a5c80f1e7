#include "runner/daemon/serving/watchers.h"

#include <spdlog/spdlog.h>

#include <boost/asio/co_spawn.hpp>

#include <algorithm>
#include <utility>

#include "runner/daemon/serving/device_names.h"
#include "runner/daemon/serving/entries.h"
#include "runner/wire/messages/queue.h"
#include "runner/wire/rpc.h"

namespace sweepd {

namespace asio = boost::asio;
namespace {

constexpr std::chrono::milliseconds kGather{100};
constexpr std::chrono::seconds kBeat{1};
constexpr Duration kEtaAge = seconds(1);
// Reading the eta costs a pass over the sweep's attempts, so for a large sweep it is read less
// often.
constexpr std::int64_t kEtaRest = 20;

struct ReadEta {
  std::vector<PassEta> passes;
  Duration took{0};
};
struct Standing {
  Progress counts;
  bool paused = false;
  std::vector<AttemptRow> past;
  std::optional<ReadEta> eta;
};

Result<ReadEta> read_eta(Reader& reader, const SweepId& sweep, const AttemptWeights& weights) {
  const Instant start = now_instant();
  auto passes = reader.eta(sweep, weights);
  if (!passes) return passes.error();
  return ReadEta{std::move(*passes), now_instant() - start};
}

void tell_of_stop(const std::weak_ptr<Session>& session, const rpc::Stopping& how) {
  const auto open = session.lock();
  if (open) open->send(notification_line(rpc::Stopping::kName, to_message(how)));
}

}  // namespace

// Attempts that ended while the past was read may also be in `ended` or in the news.
void Watchers::Watch::begin_with(const std::vector<AttemptRow>& problems, Ended& ended) {
  past.emplace();
  for (const AttemptRow& attempt : problems) past->insert(attempt.id);
  const auto too_many = std::max<std::int64_t>(0, std::ssize(problems) - most_past);
  const auto known = [this](const rpc::EndedEntry& entry) { return past->contains(entry.attempt); };
  std::erase_if(ended, known);
  std::erase_if(news, known);
  Ended entries;
  for (auto one = problems.begin() + too_many; one != problems.end(); ++one) {
    entries.push_back(ended_entry_of(*one));
  }
  ended.insert(ended.begin(), entries.begin(), entries.end());
}

Watchers::Watched::Watched(const SweepRow& sweep, std::unordered_set<TrialKey> keys)
    : id(sweep.id), trials(std::move(keys)), estimates(sweep.id, sweep.workload, trials.size()) {}

bool Watchers::knows(const SweepId& sweep) const {
  return std::ranges::any_of(sweeps_, [&](const auto& watched) { return watched->id == sweep; });
}

void Watchers::add(std::weak_ptr<Session> session, const SweepRow& sweep,
                   std::unordered_set<TrialKey> trials, std::int64_t past) {
  auto watched = std::ranges::find(sweeps_, sweep.id, &Watched::id);
  if (watched == sweeps_.end()) {
    watched = sweeps_.insert(watched, std::make_shared<Watched>(sweep, std::move(trials)));
  }
  if (stopping_) tell_of_stop(session, *stopping_);
  auto watch = std::make_shared<Watch>();
  watch->session = std::move(session);
  watch->most_past = past;
  (*watched)->watches.push_back(std::move(watch));
  changed();
}

// Runs in the background, since the worker may take seconds. The eta is read again afterwards.
void Watchers::read_weights(const std::shared_ptr<Watched>& sweep) {
  if (sweep->weighing || sweep->estimates.are_final()) return;
  sweep->weighing = true;
  const auto read = [this, sweep]() -> asio::awaitable<void> {
    const auto ask = [this, sweep](Reader& reader) {
      return sweep->estimates.read(reader, sources_);
    };
    auto weights = co_await slow_.run(ask);
    sweep->weighing = false;
    if (!weights) spdlog::error("time left: {}", weights.error().message);
    if (!weights || weights->empty()) co_return;
    sweep->known = std::make_shared<AttemptWeights>(std::move(*weights));
    sweep->eta_due.reset();
    changed();
  };
  asio::co_spawn(io_, read, [](const std::exception_ptr& failure) {
    if (failure) spdlog::error("cannot read how large the trials are");
  });
}

void Watchers::ended(const EndedAttempt& attempt) {
  for (const auto& sweep : sweeps_) {
    if (!sweep->trials.contains(attempt.trial_key)) continue;
    for (const auto& watch : sweep->watches) {
      if (watch->past && watch->past->contains(attempt.id)) continue;
      watch->news.push_back(entry_of(attempt));
    }
  }
  changed();
}

void Watchers::stopping(rpc::Stopping how) {
  stopping_ = how;
  for (const auto& sweep : sweeps_) {
    for (const auto& watch : sweep->watches) tell_of_stop(watch->session, how);
  }
}

void Watchers::changed() {
  for (const auto& sweep : sweeps_) sweep->stale = true;
  if (sweeps_.empty() || std::exchange(armed_, true)) return;
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
        if (failure) spdlog::error("cannot tell the watchers");
      });
}

asio::awaitable<void> Watchers::tell_all() {
  auto sweeps = sweeps_;  // a copy: watches come and go while the database is asked
  for (const auto& sweep : sweeps) co_await tell(sweep);
  std::vector<std::shared_ptr<Watched>> gone;
  std::erase_if(sweeps_, [&](const auto& sweep) {
    std::erase_if(sweep->watches,
                  [](const auto& watch) { return watch->over || watch->session.expired(); });
    if (sweep->watches.empty()) gone.push_back(sweep);
    return sweep->watches.empty();
  });
  arm_beat();
  if (gone.empty()) co_return;
  // Freeing the keys of a million trials takes long.
  sweeps.clear();
  const auto let_go = [&gone] {
    gone.clear();
    return true;
  };
  co_await readers_.compute(let_go);
}

// Each call postpones the beat, which comes a second after the last message.
void Watchers::arm_beat() {
  if (sweeps_.empty()) return;
  if (dispatcher_->running().empty() && dispatcher_->given().empty()) return;
  beat_.expires_after(kBeat);
  beat_.async_wait([this](const boost::system::error_code& error) {
    if (!error) spawn_tell_all();
  });
}

// Returns false if the database did not answer. A watcher's first news begin with the past
// problems.
asio::awaitable<bool> Watchers::refresh(std::shared_ptr<Watched> sweep, const Watches& watches,
                                        std::vector<Ended>& news) {
  const bool with_eta = !sweep->eta_due || now_instant() >= *sweep->eta_due;
  std::int64_t most_past = -1;  // no watcher is new
  for (const auto& watch : watches) {
    if (!watch->past) most_past = std::max(most_past, watch->most_past);
  }
  if (with_eta) read_weights(sweep);
  const auto weights = sweep->known;
  const auto ask = [&sweep, &weights, with_eta, most_past](Reader& reader) -> Result<Standing> {
    Standing standing;
    const auto counts = reader.progress(sweep->id);
    if (!counts) return counts.error();
    standing.counts = *counts;
    const auto paused = reader.is_paused(sweep->id);
    if (!paused) return paused.error();
    standing.paused = *paused;
    if (most_past >= 0) {
      auto past = reader.last_problems(sweep->id, most_past);
      if (!past) return past.error();
      standing.past = std::move(*past);
    }
    if (!with_eta) return standing;
    auto eta = read_eta(reader, sweep->id, *weights);
    if (!eta) return eta.error();
    standing.eta = std::move(*eta);
    return standing;
  };
  auto read = co_await readers_.run(ask);
  if (!read) {
    spdlog::error("progress of {}: {}", sweep->id, read.error().message);
    co_return false;
  }
  sweep->counts = read->counts;
  sweep->paused = read->paused;
  for (std::size_t i = 0; i < watches.size(); ++i) {
    if (!watches[i]->past) watches[i]->begin_with(read->past, news[i]);
  }
  if (!read->eta) {
    sweep->stale = true;  // the next beat reads it
    co_return true;
  }
  sweep->eta = std::move(read->eta->passes);
  sweep->weights = weights;
  const std::int64_t rest = std::max(kEtaAge.ns, read->eta->took.ns * kEtaRest);
  sweep->eta_due = now_instant() + Duration{rest};
  co_return true;
}

// Without the news.
rpc::Progress Watchers::progress_of(const Watched& sweep) const {
  rpc::Progress progress;
  progress.sweep = sweep.id;
  progress.counts = counts_of(sweep.counts);
  std::vector<RunningFor> running;
  for (const RunningAttempt& run : dispatcher_->running()) {
    if (!sweep.trials.contains(run.trial_key)) continue;
    const rpc::RunningEntry& entry = progress.running.emplace_back(entry_of(run));
    running.push_back({run.pass, entry.elapsed, sweep.weights->of(run.trial_key, run.pass)});
  }
  for (const GivenAttempt& given : dispatcher_->given()) {
    if (sweep.trials.contains(given.trial_key)) progress.given.push_back(entry_of(given));
  }
  progress.paused = sweep.paused;
  IdleDevices idle = idle_devices(dispatcher_->paused_devices(), machine_);
  progress.paused_devices = std::move(idle.paused);
  progress.out_of_service = std::move(idle.out_of_service);
  if (!sweep.paused) progress.left = time_left(sweep.eta, running);
  progress.trouble = dispatcher_->trouble();
  return progress;
}

asio::awaitable<void> Watchers::tell(std::shared_ptr<Watched> sweep) {
  if (sweep->telling) {
    changed();  // again, once the database has answered
    co_return;
  }
  // The news are taken before the counts are read: a count may be ahead of the news, but never
  // behind. A watcher that joins during the read gets the next message.
  const Watches watches = sweep->watches;
  std::vector<Ended> news;
  for (const auto& watch : watches) news.push_back(std::exchange(watch->news, {}));
  if (std::exchange(sweep->stale, false)) {
    sweep->telling = true;
    const bool fresh = co_await refresh(sweep, watches, news);
    sweep->telling = false;
    if (!fresh) {
      // The news wait for the next try, ahead of newer ones.
      for (std::size_t i = 0; i < watches.size(); ++i) {
        watches[i]->news.insert(watches[i]->news.begin(), news[i].begin(), news[i].end());
      }
      co_return changed();
    }
  }
  rpc::Progress progress = progress_of(*sweep);
  const bool all_ended = sweep->counts.ended() == sweep->counts.total;
  // The database may know of the last end before the loop does, and nothing may follow the last
  // notification.
  const bool all_heard = all_ended && !dispatcher_->is_storing(sweep->trials);
  for (std::size_t i = 0; i < watches.size(); ++i) {
    Watch& watch = *watches[i];
    const auto session = watch.session.lock();
    if (!session || watch.over) continue;
    progress.ended = std::move(news[i]);
    progress.over = watch.over = all_heard && watch.news.empty();
    session->send(notification_line(rpc::Progress::kName, to_message(progress)));
    if (all_ended && !watch.over) changed();
  }
}

}  // namespace sweepd
