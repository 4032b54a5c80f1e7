// The clients that watch sweeps. Changes are collected for a tenth of a second and sent as one
// `progress` notification, so that ten thousand short trials do not become ten thousand messages
// per watcher. The database is read once for all watchers of a sweep. While something runs,
// watchers also get its step and phase once a second. Without a watcher there is no
// such timer. The first notification has the problems from before, the last is sent when every
// problem was. The time left follows once the worker has computed the trials' sizes.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <optional>
#include <unordered_set>
#include <vector>

#include "runner/base/clock.h"
#include "runner/daemon/attempts/dispatcher.h"
#include "runner/daemon/planning/sweep_weights.h"
#include "runner/daemon/serving/session.h"
#include "runner/daemon/threads/reader_pool.h"
#include "runner/wire/messages/queue.h"
#include "runner/wire/messages/rows.h"

namespace sweepd {

class Watchers {
 public:
  // `slow` may wait for the worker.
  Watchers(boost::asio::io_context& io, ReaderPool& readers, ReaderPool& slow,
           EstimateSources sources, const Machine& machine)
      : io_(io),
        readers_(readers),
        slow_(slow),
        sources_(sources),
        machine_(machine),
        timer_(io),
        beat_(io) {}
  void set_dispatcher(const Dispatcher& dispatcher) { dispatcher_ = &dispatcher; }

  // True if it has a watcher, so that `add` does not need its trials.
  bool knows(const SweepId& sweep) const;
  // Watches until the sweep has ended or the session is gone. `trials` are the sweep's. The first
  // notification has at most `past` problems from before.
  void add(std::weak_ptr<Session> session, const SweepRow& sweep,
           std::unordered_set<TrialKey> trials, std::int64_t past);
  void changed();
  void ended(const EndedAttempt& attempt);
  // The daemon is stopping. Informs all present and later watchers at once: a client that knows it
  // does not start the next daemon when this one is gone.
  void stopping(rpc::Stopping how);

 private:
  using Ended = std::vector<rpc::EndedEntry>;
  // One session that watches a sweep.
  struct Watch {
    std::weak_ptr<Session> session;
    std::int64_t most_past = 0;
    Ended news = {};
    // Problems from before. Empty until they are read.
    std::optional<std::unordered_set<AttemptId>> past = {};
    bool over = false;

    void begin_with(const std::vector<AttemptRow>& problems, Ended& ended);
  };
  // The state that all watchers of a sweep share.
  struct Watched {
    Watched(const SweepRow& sweep, std::unordered_set<TrialKey> trials);

    const SweepId id;
    const std::unordered_set<TrialKey> trials;
    std::vector<std::shared_ptr<Watch>> watches;
    bool stale = true;     // something changed since the counts were read
    bool telling = false;  // waiting for the database
    Progress counts;
    bool paused = false;
    SweepWeights estimates;
    bool weighing = false;  // a worker is asked
    std::shared_ptr<const AttemptWeights> known = std::make_shared<AttemptWeights>();
    std::vector<PassEta> eta;
    std::shared_ptr<const AttemptWeights> weights = known;  // with which the eta was read
    std::optional<Instant> eta_due;                         // empty: at once
  };
  using Watches = std::vector<std::shared_ptr<Watch>>;

  void spawn_tell_all();
  void arm_beat();
  void read_weights(const std::shared_ptr<Watched>& sweep);
  boost::asio::awaitable<void> tell_all();
  boost::asio::awaitable<void> tell(std::shared_ptr<Watched> sweep);
  boost::asio::awaitable<bool> refresh(std::shared_ptr<Watched> sweep, const Watches& watches,
                                       std::vector<Ended>& news);
  rpc::Progress progress_of(const Watched& sweep) const;

  boost::asio::io_context& io_;
  ReaderPool& readers_;
  ReaderPool& slow_;
  EstimateSources sources_;
  const Machine& machine_;
  const Dispatcher* dispatcher_ = nullptr;
  std::vector<std::shared_ptr<Watched>> sweeps_;
  boost::asio::steady_timer timer_;
  boost::asio::steady_timer beat_;
  bool armed_ = false;
  std::optional<rpc::Stopping> stopping_;
};

}  // namespace sweepd
