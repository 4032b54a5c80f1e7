// Queries run on a few threads of their own, each with a read-only connection, so that a slow one
// never delays the scheduler. Results come back to the event loop.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <vector>

#include "db/query.h"

namespace sweepd {

class ReaderPool {
 public:
  ReaderPool(std::filesystem::path database, const Catalog& catalog, std::size_t threads,
             Duration time_limit)
      : database_(std::move(database)), catalog_(catalog), limit_(time_limit), pool_(threads) {}
  ~ReaderPool() { pool_.join(); }

  // `ask(Reader&)` returns a Result; so does this. Both calls want a named function object that
  // lives until the result is there: GCC 12 destroys the captures of a lambda written inside a
  // co_await expression twice, so a temporary does not compile.
  template <class F>
  boost::asio::awaitable<std::invoke_result_t<const F&, Reader&>> run(const F& ask) {
    using Answer = std::invoke_result_t<const F&, Reader&>;
    // co_spawn wants a default-constructible result; a Result has no default.
    auto body = [this, &ask]() -> boost::asio::awaitable<std::optional<Answer>> {
      auto reader = borrow();
      if (!reader) co_return Answer(reader.error());
      std::optional<Answer> result(ask(**reader));
      give_back(std::move(*reader));
      co_return result;
    };
    auto answer = co_await boost::asio::co_spawn(pool_, body, boost::asio::use_awaitable);
    co_return std::move(*answer);
  }
  template <class F>
  void run(const F&&) = delete;

  // For work without a database, such as parsing and expanding a large sweep file.
  template <class F>
  boost::asio::awaitable<std::invoke_result_t<const F&>> compute(const F& work) {
    using Answer = std::invoke_result_t<const F&>;
    auto body = [&work]() -> boost::asio::awaitable<std::optional<Answer>> {
      co_return std::optional<Answer>(work());
    };
    auto answer = co_await boost::asio::co_spawn(pool_, body, boost::asio::use_awaitable);
    co_return std::move(*answer);
  }
  template <class F>
  void compute(const F&&) = delete;

 private:
  Result<std::unique_ptr<Reader>> borrow() {
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
  void give_back(std::unique_ptr<Reader> reader) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(reader));
  }

  std::filesystem::path database_;
  const Catalog& catalog_;
  Duration limit_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Reader>> idle_;
  boost::asio::thread_pool pool_;
};

}  // namespace sweepd
