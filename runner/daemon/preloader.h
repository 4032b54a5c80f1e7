// Waits for the executor to load a worker before the first of several attempts starts
// (Executor::prepare). Lives on the event loop.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>

#include "runner/base/units.h"
#include "runner/exec/executor.h"

namespace sweepd {

class Preloader {
 public:
  // `loaded` is called when the worker is ready, or when `limit` has passed.
  Preloader(boost::asio::io_context& io, Executor& executor, Duration limit,
            std::function<void()> loaded)
      : io_(io), executor_(executor), limit_(limit), loaded_(std::move(loaded)), timer_(io) {}

  // Returns true if the executor loads a worker for attempts like this one: wait for `loaded`.
  bool begin(const AttemptRequest& request);
  bool is_loading() const { return loading_ != nullptr; }

 private:
  boost::asio::io_context& io_;
  Executor& executor_;
  Duration limit_;
  std::function<void()> loaded_;
  boost::asio::steady_timer timer_;
  std::unique_ptr<boost::asio::posix::stream_descriptor> loading_;
};

}  // namespace sweepd
