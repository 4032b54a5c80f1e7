#include "runner/daemon/serving/watchers.h"

#include <spdlog/spdlog.h>

#include <boost/asio/co_spawn.hpp>

#include "runner/daemon/serving/device_names.h"
#include "runner/daemon/serving/entries.h"
#include "runner/wire/messages/queue.h"
#include "runner/wire/rpc.h"

namespace sweepd {

namespace asio = boost::asio;
namespace {

constexpr std::chrono::milliseconds kGather{100};
constexpr std::chrono::seconds kBeat{1};
constexpr Duration kPaceAge = seconds(1);
// Reading the pace costs a pass over the sweep's attempts, so for a large sweep it is read less
// often.
constexpr std::int64_t kPaceRest = 20;
// Whoever starts to watch gets this many of the problems from before.
constexpr std::int64_t kPastProblems = 20;

struct Pace {
  std::vector<PassPace> passes;
  Duration took{0};
};
struct Standing {
  Progress counts;
  bool paused = false;
  std::vector<AttemptRow> past;
  std::optional<Pace> pace;
};

Result<Pace> read_pace(Reader& reader, const SweepId& sweep, const AttemptWeights& weights) {
  const Instant start = now_instant();
  auto passes = reader.pace(sweep, weights);
  if (!passes) return passes.error();
  return Pace{std::move(*passes), now_instant() - start};
}

}  // namespace

// What ended while the past was read may also be in `ended` or in the news.
void Watchers::Watch::begin_with(const std::vector<AttemptRow>& problems, Ended& ended) {
  past.emplace();
  for (const AttemptRow& attempt : problems) past->insert(attempt.id);
  const auto known = [this](const rpc::EndedEntry& entry) { return past->contains(entry.attempt); };
  std::erase_if(ended, known);
  std::erase_if(news, known);
  Ended entries;
  for (const AttemptRow& attempt : problems) entries.push_back(ended_entry_of(attempt));
  ended.insert(ended.begin(), entries.begin(), entries.end());
}

void Watchers::add(std::weak_ptr<Session> session, const SweepRow& sweep,
                   std::unordered_set<TrialKey> trials) {
  auto watch = std::make_shared<Watch>();
  watch->session = std::move(session);
  watch->sweep = sweep.id;
  watch->weighing = weighing_of(sweep, trials.size());
  watch->weights = watch->weighing->known;
  watch->trials = std::move(trials);
  watches_.push_back(std::move(watch));
  changed();
}

std::shared_ptr<Watchers::Weighing> Watchers::weighing_of(const SweepRow& sweep,
                                                          std::size_t trials) const {
  for (const auto& watch : watches_) {
    if (watch->sweep == sweep.id) return watch->weighing;
  }
  return std::make_shared<Weighing>(
      Weighing{.estimates = SweepWeights(sweep.id, sweep.workload, trials)});
}

// The worker may take seconds, so nothing waits for this. The pace of whoever watches the sweep is
// read again afterwards.
void Watchers::read_weights(const std::shared_ptr<Weighing>& weighing) {
  if (weighing->reading || weighing->estimates.are_final()) return;
  weighing->reading = true;
  const auto read = [this, weighing]() -> asio::awaitable<void> {
    const auto ask = [this, weighing](Reader& reader) {
      return weighing->estimates.read(reader, sources_);
    };
    auto weights = co_await slow_.run(ask);
    weighing->reading = false;
    if (!weights) spdlog::error("time left: {}", weights.error().message);
    if (!weights || weights->empty()) co_return;
    weighing->known = std::make_shared<AttemptWeights>(std::move(*weights));
    for (const auto& watch : watches_) {
      if (watch->weighing == weighing) watch->pace_due.reset();
    }
    changed();
  };
  asio::co_spawn(io_, read, [](const std::exception_ptr& failure) {
    if (failure) spdlog::error("cannot read how large the trials are");
  });
}

void Watchers::ended(const EndedAttempt& attempt) {
  for (const auto& watch : watches_) {
    if (!watch->trials.contains(attempt.trial_key)) continue;
    if (watch->past && watch->past->contains(attempt.id)) continue;
    watch->news.push_back(entry_of(attempt));
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
        if (failure) spdlog::error("cannot tell the watchers");
      });
}

asio::awaitable<void> Watchers::tell_all() {
  auto watches = watches_;  // a copy: watches come and go while the database is asked
  for (const auto& watch : watches) co_await tell(watch);
  std::vector<std::shared_ptr<Watch>> gone;
  std::erase_if(watches_, [&](const auto& watch) {
    const bool over = watch->over || watch->session.expired();
    if (over) gone.push_back(watch);
    return over;
  });
  arm_beat();
  if (gone.empty()) co_return;
  // Freeing the keys of a million trials takes long.
  watches.clear();
  const auto let_go = [&gone] {
    gone.clear();
    return true;
  };
  co_await readers_.compute(let_go);
}

// Each call postpones the beat, which comes a second after the last message.
void Watchers::arm_beat() {
  if (watches_.empty()) return;
  if (dispatcher_->running().empty() && dispatcher_->given().empty()) return;
  beat_.expires_after(kBeat);
  beat_.async_wait([this](const boost::system::error_code& error) {
    if (!error) spawn_tell_all();
  });
}

// Returns false if the database did not answer. The first time, `news` gets the past problems.
asio::awaitable<bool> Watchers::refresh(std::shared_ptr<Watch> watch, Ended& news) {
  const bool with_pace = !watch->pace_due || now_instant() >= *watch->pace_due;
  const bool with_past = !watch->past;
  if (with_pace) read_weights(watch->weighing);
  const auto weights = watch->weighing->known;
  const auto ask = [&watch, &weights, with_pace, with_past](Reader& reader) -> Result<Standing> {
    Standing standing;
    const auto counts = reader.progress(watch->sweep);
    if (!counts) return counts.error();
    standing.counts = *counts;
    const auto paused = reader.is_paused(watch->sweep);
    if (!paused) return paused.error();
    standing.paused = *paused;
    if (with_past) {
      auto past = reader.last_problems(watch->sweep, kPastProblems);
      if (!past) return past.error();
      standing.past = std::move(*past);
    }
    if (!with_pace) return standing;
    auto pace = read_pace(reader, watch->sweep, *weights);
    if (!pace) return pace.error();
    standing.pace = std::move(*pace);
    return standing;
  };
  auto read = co_await readers_.run(ask);
  if (!read) {
    spdlog::error("progress of {}: {}", watch->sweep, read.error().message);
    co_return false;
  }
  watch->counts = read->counts;
  watch->paused = read->paused;
  if (with_past) watch->begin_with(read->past, news);
  if (!read->pace) {
    watch->stale = true;  // the next beat reads it
    co_return true;
  }
  watch->pace = std::move(read->pace->passes);
  watch->weights = weights;
  const std::int64_t rest = std::max(kPaceAge.ns, read->pace->took.ns * kPaceRest);
  watch->pace_due = now_instant() + Duration{rest};
  co_return true;
}

// The database may know of the last end before the loop does, and nothing can be told after the
// last notification.
bool Watchers::has_told_all(const Watch& watch) const {
  return watch.news.empty() && !dispatcher_->is_storing(watch.trials);
}

asio::awaitable<void> Watchers::tell(std::shared_ptr<Watch> watch) {
  if (watch->telling) {
    changed();  // again, once the database has answered
    co_return;
  }
  // The news are taken before the counts are read: a count may be ahead of the news, but never
  // behind.
  Ended news = std::exchange(watch->news, {});
  if (std::exchange(watch->stale, false)) {
    watch->telling = true;
    const bool fresh = co_await refresh(watch, news);
    watch->telling = false;
    // The news wait for the next try, ahead of newer ones.
    if (!fresh) watch->news.insert(watch->news.begin(), news.begin(), news.end());
    if (!fresh) co_return changed();
  }
  const auto session = watch->session.lock();
  if (!session || watch->over) co_return;
  rpc::Progress progress;
  progress.sweep = watch->sweep;
  progress.counts = counts_of(watch->counts);
  std::vector<RunningFor> running;
  for (const RunningAttempt& run : dispatcher_->running()) {
    if (!watch->trials.contains(run.trial_key)) continue;
    const rpc::RunningEntry& entry = progress.running.emplace_back(entry_of(run));
    running.push_back({run.pass, entry.elapsed, watch->weights->of(run.trial_key, run.pass)});
  }
  for (const GivenAttempt& given : dispatcher_->given()) {
    if (watch->trials.contains(given.trial_key)) progress.given.push_back(entry_of(given));
  }
  progress.ended = std::move(news);
  progress.paused = watch->paused;
  progress.paused_devices = names_of(dispatcher_->paused_devices(), machine_);
  if (!watch->paused) progress.left = time_left(watch->pace, running);
  progress.trouble = dispatcher_->trouble();
  const bool all_ended = watch->counts.ended() == watch->counts.total;
  progress.over = watch->over = all_ended && has_told_all(*watch);
  session->send(notification_line(rpc::Progress::kName, to_message(progress)));
  if (all_ended && !watch->over) changed();
}

}  // namespace sweepd
