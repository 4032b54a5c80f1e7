// The thread that writes to the database. It owns the store while the loop runs, so that a large
// transaction, a slow disk or another process's write lock does not block the loop: every use of
// the store is a job of this thread. Jobs run in the order in which they were added.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "db/store/store.h"
#include "runner/daemon/threads/side_thread.h"

namespace sweepd {

class Writer {
 public:
  Writer(boost::asio::io_context& io, Store& store, Duration pause = seconds(2))
      : store_(store), thread_(io), pause_(pause), pause_timer_(io) {}

  // `job(Store&)` returns a value, which is passed to `done` on the loop.
  template <class Job, class Done>
  void run(Job job, Done done) {
    using Answer = std::invoke_result_t<Job&, Store&>;
    const auto answer = std::make_shared<std::optional<Answer>>();
    begin();
    thread_.run([this, answer, job = std::move(job)]() mutable { answer->emplace(job(store_)); },
                [answer, done = std::move(done)]() mutable { done(std::move(**answer)); });
  }

  // The same for a coroutine. As with ReaderPool, `job` must be a named function object.
  template <class F>
  boost::asio::awaitable<std::invoke_result_t<const F&, Store&>> run(const F& job) {
    std::optional<std::invoke_result_t<const F&, Store&>> answer;
    const std::function<void()> work = [&] { answer.emplace(job(store_)); };
    begin();
    co_await thread_.run(work);
    co_return std::move(*answer);
  }
  template <class F>
  void run(const F&&) = delete;

  // Waits for the answer. For use before the loop runs, and in tests.
  template <class F>
  std::invoke_result_t<const F&, Store&> now(const F& job) {
    std::optional<std::invoke_result_t<const F&, Store&>> answer;
    dirty_ = true;
    thread_.run_now([&] { answer.emplace(job(store_)); });
    return std::move(*answer);
  }

  // Nothing is measured now, so the disk may be used: once nothing has been written for a pause,
  // the log is moved into the database file.
  void rest();

  std::size_t pending() const { return thread_.pending(); }
  // Runs all jobs and ends the thread. The caller then owns the store again.
  void finish() { thread_.finish(); }
  SideThread& thread() { return thread_; }

 private:
  void begin() {
    dirty_ = true;
    pause_timer_.cancel();
  }

  Store& store_;
  SideThread thread_;
  Duration pause_;
  boost::asio::steady_timer pause_timer_;
  bool dirty_ = true;  // whether something was written since the last checkpoint
};

}  // namespace sweepd
