// Who watches which sweep. Changes are collected for a tenth of a second and sent as one `progress`
// notification, so that ten thousand short trials do not become ten thousand messages per watcher.
// While something runs, watchers also get its step and phase once a second. Without a watcher there
// is no such timer. The first notification has the problems from before, the last is sent when
// every problem was. The time left follows once the worker has said how large the trials are.
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

  // Watches until the sweep has ended or the session is gone. `trials` are the sweep's.
  void add(std::weak_ptr<Session> session, const SweepRow& sweep,
           std::unordered_set<TrialKey> trials);
  void changed();
  void ended(const EndedAttempt& attempt);

 private:
  using Ended = std::vector<rpc::EndedEntry>;
  // Of one sweep, for all who watch it.
  struct Weighing {
    SweepWeights estimates;
    std::shared_ptr<const AttemptWeights> known = std::make_shared<AttemptWeights>();
    bool reading = false;
  };
  struct Watch {
    std::weak_ptr<Session> session;
    SweepId sweep;
    std::unordered_set<TrialKey> trials;
    Ended news;
    // Problems from before. Empty until they are read.
    std::optional<std::unordered_set<AttemptId>> past;
    bool over = false;
    bool stale = true;  // something changed since the counts were read
    Progress counts;
    bool paused = false;
    bool telling = false;  // waiting for the database
    std::vector<PassPace> pace;
    std::optional<Instant> pace_due;  // empty: at once
    std::shared_ptr<Weighing> weighing;
    std::shared_ptr<const AttemptWeights> weights;  // with which the pace was read

    void begin_with(const std::vector<AttemptRow>& problems, Ended& ended);
  };
  void spawn_tell_all();
  void arm_beat();
  std::shared_ptr<Weighing> weighing_of(const SweepRow& sweep, std::size_t trials) const;
  void read_weights(const std::shared_ptr<Weighing>& weighing);
  boost::asio::awaitable<void> tell_all();
  boost::asio::awaitable<void> tell(std::shared_ptr<Watch> watch);
  boost::asio::awaitable<bool> refresh(std::shared_ptr<Watch> watch, Ended& news);
  bool has_told_all(const Watch& watch) const;

  boost::asio::io_context& io_;
  ReaderPool& readers_;
  ReaderPool& slow_;
  EstimateSources sources_;
  const Machine& machine_;
  const Dispatcher* dispatcher_ = nullptr;
  std::vector<std::shared_ptr<Watch>> watches_;
  boost::asio::steady_timer timer_;
  boost::asio::steady_timer beat_;
  bool armed_ = false;
};

}  // namespace sweepd
