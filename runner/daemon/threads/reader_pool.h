// Runs queries on a few separate threads, each with a read-only connection, so that a slow one
// never delays the scheduler. Results are returned on the event loop.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/thread_pool.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <vector>

#include "db/query/query.h"

namespace sweepd {

class ReaderPool {
 public:
  ReaderPool(std::filesystem::path database, const Catalog& catalog, std::size_t threads,
             Duration time_limit)
      : database_(std::move(database)), catalog_(catalog), limit_(time_limit), pool_(threads) {}
  ~ReaderPool() { finish(); }
  // Runs all jobs and ends the threads. A coroutine that waits for a job does not resume, so its
  // owner calls this before it destroys anything that jobs use. Not while the loop runs.
  void finish() { pool_.join(); }

  // `ask(Reader&)` returns a Result, and so does this. Both calls need a named function object that
  // lives until the result is there: GCC 12 destroys the captures of a lambda written inside a
  // co_await expression twice, so a temporary does not compile.
  template <class F>
  boost::asio::awaitable<std::invoke_result_t<const F&, Reader&>> run(const F& ask) {
    std::optional<std::invoke_result_t<const F&, Reader&>> answer;
    const std::function<void(Reader&)> job = [&](Reader& reader) { answer.emplace(ask(reader)); };
    const Result<void> opened = co_await run_job(job);
    if (!opened) co_return opened.error();
    co_return std::move(*answer);
  }
  template <class F>
  void run(const F&&) = delete;

  // For work without a database, such as parsing and expanding a large sweep file.
  template <class F>
  boost::asio::awaitable<std::invoke_result_t<const F&>> compute(const F& work) {
    std::optional<std::invoke_result_t<const F&>> answer;
    const std::function<void()> job = [&] { answer.emplace(work()); };
    co_await run_work(job);
    co_return std::move(*answer);
  }
  template <class F>
  void compute(const F&&) = delete;

 private:
  // These are not templates, because each type that Asio spawns costs seconds of compile time.
  boost::asio::awaitable<Result<void>> run_job(const std::function<void(Reader&)>& job);
  boost::asio::awaitable<void> run_work(const std::function<void()>& work);
  Result<std::unique_ptr<Reader>> borrow();
  void give_back(std::unique_ptr<Reader> reader);

  std::filesystem::path database_;
  const Catalog& catalog_;
  Duration limit_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Reader>> idle_;
  boost::asio::thread_pool pool_;
};

}  // namespace sweepd
