// Adds attempts to the queue, removes them, holds and releases them, a few milliseconds at a time,
// in the order of the calls: a million of them take seconds. Lives on the event loop.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "db/store/store.h"
#include "runner/daemon/threads/side_thread.h"
#include "runner/model/attempt/open_attempt.h"

namespace sweepd {

class QueueChanges {
 public:
  struct Hooks {
    std::function<void(OpenAttempt)> add;
    std::function<void(std::int64_t row)> forget, hold, release;
    std::function<void()> done;  // nothing is left to change
  };

  // `side` destroys the leftovers of large changes.
  QueueChanges(boost::asio::io_context& io, SideThread& side, Hooks hooks)
      : io_(io), side_(side), hooks_(std::move(hooks)) {}

  void enqueue(std::vector<OpenAttempt> attempts);
  void forget(std::vector<std::int64_t> rows);
  void hold(Holds holds);
  bool empty() const { return changes_.empty(); }
  std::size_t arriving() const { return arriving_; }  // attempts not added yet

 private:
  // One call and its progress.
  struct Change {
    std::vector<OpenAttempt> added;
    std::vector<std::int64_t> rows;
    std::function<void(std::int64_t row)> carry_out;  // for `rows`
    std::size_t next = 0;                             // position in `added` followed by `rows`
  };

  void add(Change change);
  void carry_out();
  void carry_out_one(Change& change);

  boost::asio::io_context& io_;
  SideThread& side_;
  Hooks hooks_;
  std::deque<Change> changes_;
  std::size_t arriving_ = 0;
};

}  // namespace sweepd
