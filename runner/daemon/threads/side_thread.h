// One thread beside the event loop, for work that would block the loop. Jobs run on it one after
// the other, and their continuations run on the loop. All calls come from the loop, unless stated
// otherwise.
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

  // Calls `done` from the loop when `job` has run. The thread destroys the job's captures.
  void run(std::function<void()> job, std::function<void()> done);
  // The same for a coroutine; `job` must live until it returns.
  boost::asio::awaitable<void> run(const std::function<void()>& job);
  // Without a continuation, and from any thread.
  void post(std::function<void()> job);
  // Waits for the job and all earlier ones. Not while the loop runs.
  void run_now(const std::function<void()>& job);
  // Destroys a large object on the thread: freeing a million strings takes a tenth of a second.
  void let_go(std::shared_ptr<const void> thing);

  std::size_t pending() const { return pending_; }  // jobs whose `done` was not called yet

  // Runs all jobs and ends the thread. Jobs that are added later do not run.
  void finish() { pool_.join(); }

 private:
  boost::asio::io_context& io_;
  std::size_t pending_ = 0;
  boost::asio::thread_pool pool_;
};

}  // namespace sweepd
