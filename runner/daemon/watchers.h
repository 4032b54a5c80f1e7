// Who watches which sweep. Changes are gathered for a tenth of a second and sent as one `progress`
// notification, so that ten thousand short trials do not become ten thousand messages a watcher.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <unordered_set>
#include <vector>

#include "runner/daemon/dispatcher.h"
#include "runner/daemon/reader_pool.h"
#include "runner/daemon/session.h"

namespace sweepd {

nlohmann::json to_json(const Progress& progress);

class Watchers {
 public:
  Watchers(boost::asio::io_context& io, ReaderPool& readers)
      : io_(io), readers_(readers), timer_(io) {}
  void set_dispatcher(const Dispatcher& dispatcher) { dispatcher_ = &dispatcher; }

  // Until the sweep has ended or the session is gone. `trials` are the sweep's.
  void add(std::weak_ptr<Session> session, SweepId sweep, std::unordered_set<TrialKey> trials);
  void changed();
  void ended(const EndedAttempt& attempt);

 private:
  struct Watch {
    std::weak_ptr<Session> session;
    SweepId sweep;
    std::unordered_set<TrialKey> trials;
    std::vector<EndedAttempt> news;
    bool over = false;
  };
  boost::asio::awaitable<void> tell_all();
  boost::asio::awaitable<void> tell(std::shared_ptr<Watch> watch);

  boost::asio::io_context& io_;
  ReaderPool& readers_;
  const Dispatcher* dispatcher_ = nullptr;
  std::vector<std::shared_ptr<Watch>> watches_;
  boost::asio::steady_timer timer_;
  bool armed_ = false;
};

}  // namespace sweepd
