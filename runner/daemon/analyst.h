// Answers the attempts of analytic workloads, whose worth is their `work`: a pure function of the
// trial. One worker answers for all of them; none has a process, a folder or a journal of its own.
//
// An attempt stays queued until the transaction that ends it. A daemon that dies in between leaves
// it queued, and the next one asks again and gets the same: nothing is lost or stored twice.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "db/store.h"
#include "runner/exec/evaluator.h"
#include "runner/exec/executor.h"
#include "runner/model/lease.h"

namespace sweepd {

class Analyst {
 public:
  struct Answer {
    OpenAttempt attempt;
    AttemptRecord record;
  };
  // `left`: asked, but the worker ended before it came to them; to be asked again. `no_worker`: why
  // there was no worker to ask, which is no fault of theirs; "" when there was.
  using OnAnswered = std::function<void(std::vector<Answer> answers, std::vector<OpenAttempt> left,
                                        const std::string& no_worker)>;

  Analyst(boost::asio::io_context& io, Executor& executor, const Catalog& catalog);
  ~Analyst();

  // Not empty, and one batch at a time; `done` is called from the event loop. The worker is started
  // on the lease's cores when there is none. Where it dies, the attempt it was at has `crashed`;
  // where it cannot start, all are left.
  void ask(std::vector<OpenAttempt> batch, const Lease& lease, OnAnswered done);

  // Ends the worker; the attempt it was at ends like this.
  void stop(Ending ending);

  // Nothing more to ask for now: ends the worker.
  void rest();

 private:
  struct Connection;
  void start_reading();
  void on_line(const std::string& line);
  void on_closed();
  void add(Ending ending, std::optional<WorkPerStep> work = std::nullopt);
  void finish(const std::string& no_worker = "");

  boost::asio::io_context& io_;
  Executor& executor_;
  const Catalog& catalog_;
  std::shared_ptr<Connection> worker_;
  std::vector<OpenAttempt> batch_;
  std::vector<Answer> answers_;  // of the first of them
  WallTime asked_;
  OnAnswered done_;
};

}  // namespace sweepd
