// Answers the attempts of analytic workloads. Their result is their `work`, a pure function of the
// trial. One worker answers for all of them; none has a process, a folder or a journal of its own.
//
// An attempt stays queued until the transaction that ends it. If the daemon dies before that, the
// next one asks again and gets the same answer: nothing is lost or stored twice.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "db/store/store.h"
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
  // `left` are attempts that the worker did not reach before it ended; ask again for them.
  // `no_worker` is the reason if no worker could be asked, which is not the attempts' fault; else
  // "".
  using OnAnswered = std::function<void(std::vector<Answer> answers, std::vector<OpenAttempt> left,
                                        const std::string& no_worker)>;

  Analyst(boost::asio::io_context& io, Executor& executor, const Catalog& catalog);
  ~Analyst();

  // Asks for one batch at a time, which must not be empty. `done` is called from the event loop. If
  // there is no worker, one is started on the lease's cores. If it dies, the attempt that it was
  // working on has `crashed`; if it cannot start, all attempts are left.
  void ask(std::vector<OpenAttempt> batch, const Lease& lease, OnAnswered done);

  // Ends the worker; the attempt that it was working on gets this ending.
  void stop(Ending ending);

  // Ends the worker, because there is nothing to ask for now.
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
  std::vector<Answer> answers_;  // answers for the first attempts of batch_
  WallTime asked_;
  OnAnswered done_;
};

}  // namespace sweepd
