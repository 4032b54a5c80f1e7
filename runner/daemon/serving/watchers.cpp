#include "runner/daemon/serving/watchers.h"

#include <spdlog/spdlog.h>

#include <boost/asio/co_spawn.hpp>

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

struct Pace {
  std::vector<PassPace> passes;
  AttemptWeights weights;
  Duration took{0};
};
struct News {
  Progress counts;
  std::optional<Pace> pace;
};

Result<Pace> read_pace(Reader& reader, const SweepId& sweep, SweepWeights& estimates,
                       const EstimateSources& sources) {
  auto weights = estimates.read(reader, sources);
  if (!weights) return weights.error();
  const Instant start = now_instant();  // the worker is asked only once, so that does not count
  auto passes = reader.pace(sweep, *weights);
  if (!passes) return passes.error();
  return Pace{std::move(*passes), std::move(*weights), now_instant() - start};
}

}  // namespace

void Watchers::add(std::weak_ptr<Session> session, const SweepRow& sweep,
                   std::unordered_set<TrialKey> trials) {
  auto watch = std::make_shared<Watch>();
  watch->session = std::move(session);
  watch->sweep = sweep.id;
  watch->estimates = std::make_shared<SweepWeights>(sweep.id, sweep.workload, trials.size());
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
  if (watches_.empty() || dispatcher_->running().empty()) return;
  beat_.expires_after(kBeat);
  beat_.async_wait([this](const boost::system::error_code& error) {
    if (!error) spawn_tell_all();
  });
}

// Returns false if the database did not answer.
asio::awaitable<bool> Watchers::refresh(std::shared_ptr<Watch> watch) {
  const bool with_pace = !watch->pace_due || now_instant() >= *watch->pace_due;
  const auto ask = [&watch, with_pace, this](Reader& reader) -> Result<News> {
    const auto counts = reader.progress(watch->sweep);
    if (!counts) return counts.error();
    if (!with_pace) return News{*counts, std::nullopt};
    auto pace = read_pace(reader, watch->sweep, *watch->estimates, sources_);
    if (!pace) return pace.error();
    return News{*counts, std::move(*pace)};
  };
  auto read = co_await readers_.run(ask);
  if (!read) {
    spdlog::error("progress of {}: {}", watch->sweep, read.error().message);
    co_return false;
  }
  watch->counts = read->counts;
  if (!read->pace) {
    watch->stale = true;  // the next beat reads it
    co_return true;
  }
  watch->pace = std::move(read->pace->passes);
  watch->weights = std::move(read->pace->weights);
  const std::int64_t rest = std::max(kPaceAge.ns, read->pace->took.ns * kPaceRest);
  watch->pace_due = now_instant() + Duration{rest};
  co_return true;
}

asio::awaitable<void> Watchers::tell(std::shared_ptr<Watch> watch) {
  if (watch->telling) {
    changed();  // again, once the database has answered
    co_return;
  }
  // The news are taken before the counts are read: a count may be ahead of the news, but never
  // behind.
  std::vector<EndedAttempt> news = std::exchange(watch->news, {});
  if (std::exchange(watch->stale, false)) {
    watch->telling = true;
    const bool fresh = co_await refresh(watch);
    watch->telling = false;
    if (!fresh) {
      // The news wait for the next try, ahead of newer ones.
      watch->news.insert(watch->news.begin(), news.begin(), news.end());
      changed();
      co_return;
    }
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
    running.push_back({run.pass, entry.elapsed, watch->weights.of(run.trial_key, run.pass)});
  }
  for (const EndedAttempt& attempt : news) progress.ended.push_back(entry_of(attempt));
  progress.left = time_left(watch->pace, running);
  progress.trouble = dispatcher_->trouble();
  progress.over = watch->over = watch->counts.ended() == watch->counts.total;
  session->send(notification_line(rpc::Progress::kName, to_message(progress)));
}

}  // namespace sweepd
