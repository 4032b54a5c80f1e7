// Whether attempts may start, and why not. A start that fails because of the machine closes the
// gate for a while, longer each time. So does an attempt that ended because its pool will fail the
// next one too, for much longer. Only the first of several failures in one pause counts, as they
// have one reason; none makes the pause shorter. Lives on the event loop.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "runner/daemon/attempts/backoff.h"

namespace sweepd {

class StartBackoff {
 public:
  // `try_again` is called when a pause is over; the gate stays closed until `open`. `changed` is
  // called when the trouble changes, so that watchers see why nothing starts.
  StartBackoff(boost::asio::io_context& io, Backoff backoff, Backoff lasting,
               std::function<void()> try_again, std::function<void()> changed)
      : timer_(io),
        backoff_(backoff),
        lasting_(lasting),
        try_again_(std::move(try_again)),
        changed_(std::move(changed)) {}

  bool is_open() const { return !closed_; }
  void open() { closed_ = false; }
  void close_for(Duration pause);
  // The machine cannot start attempts. Closes the gate for twice as long as the last time.
  void close_because(const std::string& why);
  // The same, for twice as long as at the last call: an attempt has ended because of it, and the
  // next one would too.
  void close_after_end(const std::string& why);

  // "attempts cannot start: ..."; "" if they can.
  const std::string& trouble() const { return trouble_; }
  void end_trouble();

  // An attempt's start failed for a reason that may be its own. Returns true if that happened too
  // often: it must end, or all others would wait forever.
  bool gives_up_on(std::int64_t row);
  // An attempt could measure, well or not.
  void has_measured(std::int64_t row);

 private:
  void set_trouble(std::string why);
  bool pauses_until(std::chrono::steady_clock::time_point when) const;
  void pause_because(const std::string& why, Duration pause);

  boost::asio::steady_timer timer_;
  Backoff backoff_, lasting_;
  std::function<void()> try_again_, changed_;
  bool closed_ = false;
  bool ended_in_this_pause_ = false;  // close_after_end was called in it
  std::string trouble_;
  std::map<std::int64_t, int> failed_starts_;
};

}  // namespace sweepd
