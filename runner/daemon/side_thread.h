// One thread beside the event loop, for work that would hold the loop up: jobs run on it one after
// the other, and what follows from each runs on the loop. All calls are the loop's.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <cstddef>
#include <functional>
#include <memory>

namespace sweepd {

class SideThread {
 public:
  explicit SideThread(boost::asio::io_context& io) : io_(io), pool_(1) {}
  ~SideThread() { finish(); }
  SideThread(const SideThread&) = delete;
  SideThread& operator=(const SideThread&) = delete;

  // `done` is called from the loop when `job` has run. What the job holds is let go on the thread.
  void run(std::function<void()> job, std::function<void()> done);
  // The same for a coroutine; `job` must live until then.
  boost::asio::awaitable<void> run(const std::function<void()>& job);
  // Waits for it, and for all that was given before: not while the loop runs.
  void run_now(const std::function<void()>& job);
  // Lets a large thing go on the thread: freeing a million strings takes a tenth of a second.
  void let_go(std::shared_ptr<const void> thing);

  std::size_t pending() const { return pending_; }  // jobs whose `done` was not called yet

  // Runs what was given and ends the thread; jobs that are given later do not run.
  void finish() { pool_.join(); }

 private:
  boost::asio::io_context& io_;
  std::size_t pending_ = 0;
  boost::asio::thread_pool pool_;
};

}  // namespace sweepd
