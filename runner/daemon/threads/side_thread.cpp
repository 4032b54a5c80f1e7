#include "runner/daemon/threads/side_thread.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <future>

namespace sweepd {

namespace asio = boost::asio;

void SideThread::run(std::function<void()> job, std::function<void()> done) {
  ++pending_;
  // The guard keeps an otherwise idle loop running until `done` was called.
  asio::post(pool_, [this, job = std::move(job), done = std::move(done),
                     guard = asio::make_work_guard(io_)]() mutable {
    job();
    job = nullptr;
    asio::post(io_, [this, done = std::move(done)] {
      --pending_;
      done();
    });
  });
}

asio::awaitable<void> SideThread::run(const std::function<void()>& job) {
  ++pending_;
  auto body = [&job]() -> asio::awaitable<void> {
    job();
    co_return;
  };
  co_await asio::co_spawn(pool_, body, asio::use_awaitable);
  --pending_;
}

void SideThread::post(std::function<void()> job) {
  asio::post(pool_, std::move(job));
}

void SideThread::run_now(const std::function<void()>& job) {
  std::promise<void> ran;
  asio::post(pool_, [&] {
    job();
    ran.set_value();
  });
  ran.get_future().wait();
}

void SideThread::let_go(std::shared_ptr<const void> thing) {
  asio::post(pool_, [thing = std::move(thing)]() mutable { thing.reset(); });
}

}  // namespace sweepd
