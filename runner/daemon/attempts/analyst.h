// Answers the attempts of analytic workloads. Their result is their `work`, a pure function of the
// trial, so they have no process, folder or place in the queue: `submit` and `retry` wait until the
// results are stored. Lives on the event loop; a reader's thread asks the worker.
//
// An attempt is open until the transaction that ends it. If the daemon dies before that, the next
// one asks again and gets the same answer: nothing is lost or stored twice.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "db/store/store.h"
#include "runner/daemon/threads/reader_pool.h"
#include "runner/daemon/threads/writer.h"
#include "runner/model/vocabulary/catalog.h"

namespace sweepd {

class Analyst {
 public:
  struct Hooks {
    std::function<void(const OpenAttempt&, const Ending&)> ended;  // and is stored
    std::function<void(const std::string& why)> refused;  // by the database; it is tried again
    std::function<void()> accepted;                       // by the database
  };
  Analyst(boost::asio::io_context& io, ReaderPool& slow, Writer& writer, const Catalog& catalog,
          std::filesystem::path worker, Hooks hooks, Duration store_retry = seconds(5))
      : io_(io),
        slow_(slow),
        writer_(writer),
        catalog_(catalog),
        worker_(std::move(worker)),
        hooks_(std::move(hooks)),
        store_retry_(store_retry) {}

  // Ends them all, a few hundred in a transaction. If no worker can be asked, they are `failed`
  // with the reason, which is also the error.
  boost::asio::awaitable<Result<void>> answer(std::vector<OpenAttempt> attempts);
  // The same in the background, for those that an earlier daemon left open.
  void begin(std::vector<OpenAttempt> attempts);

  std::size_t pending() const { return pending_; }
  // Whether a result of one of these trials is on its way to the database, or `Hooks::ended` was
  // not yet called for it.
  bool is_storing(const std::unordered_set<TrialKey>& trials) const;

 private:
  using Attempts = std::span<const OpenAttempt>;
  using Records = std::vector<AttemptRecord>;
  Result<Records> ask(Reader& reader, Attempts attempts) const;
  boost::asio::awaitable<void> store(Attempts attempts, Records records);

  boost::asio::io_context& io_;
  ReaderPool& slow_;
  Writer& writer_;
  const Catalog& catalog_;
  const std::filesystem::path worker_;
  Hooks hooks_;
  const Duration store_retry_;
  std::size_t pending_ = 0;
  std::unordered_multiset<TrialKey> storing_;
};

}  // namespace sweepd
