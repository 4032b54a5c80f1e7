#include "runner/daemon/threads/reader_pool.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace sweepd {

namespace asio = boost::asio;

asio::awaitable<void> ReaderPool::run_work(const std::function<void()>& work) {
  auto body = [&work]() -> asio::awaitable<void> {
    work();
    co_return;
  };
  co_await asio::co_spawn(pool_, body, asio::use_awaitable);
}

asio::awaitable<Result<void>> ReaderPool::run_job(const std::function<void(Reader&)>& job) {
  Result<void> opened;
  const std::function<void()> work = [&] {
    auto reader = borrow();
    if (!reader) {
      opened = reader.error();
      return;
    }
    job(**reader);
    give_back(std::move(*reader));
  };
  co_await run_work(work);
  co_return opened;
}

Result<std::unique_ptr<Reader>> ReaderPool::borrow() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      auto reader = std::move(idle_.back());
      idle_.pop_back();
      return reader;
    }
  }
  auto opened = Reader::open(database_, catalog_);
  if (opened) (*opened)->set_time_limit(limit_);
  return opened;
}

// Each reader's pages would add up to hundreds of MiB, and the next commit makes them useless.
void ReaderPool::give_back(std::unique_ptr<Reader> reader) {
  reader->release_pages();
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(reader));
}

}  // namespace sweepd
