// A dispatcher with a scripted executor, a real store in a temporary folder and a machine with four
// cores. Times are 20 ms, so that stories are short. Nothing here depends on how long anything
// takes.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "db/base/connection.h"
#include "runner/daemon/attempts/dispatcher.h"
#include "tests/daemon/attempt_files.h"
#include "tests/daemon/fake_executor.h"
#include "tests/daemon/local_pools.h"
#include "tests/db/fixture.h"

namespace sweepd {

class DispatcherStory : public DbTest {
 protected:
  void SetUp() override {
    DbTest::SetUp();
    restart();
  }
  void TearDown() override {
    dispatcher_.reset();
    writer_.reset();
    DbTest::TearDown();
  }

  // Starts a new daemon on the same state. The old one's waits are dropped.
  void restart() {
    dispatcher_.reset();
    writer_.reset();
    io_ = std::make_unique<boost::asio::io_context>(1);
    writer_ = std::make_unique<Writer>(*io_, *store_, milliseconds(20));
    executor_ = {};
    dispatcher_ = std::make_unique<Dispatcher>(
        *io_, *writer_, pools(local_use(machine(), &executor_, folder_ / "runs")), catalog_,
        Dispatcher::Hooks{[] {}, [this](const EndedAttempt& a) { on_ended(a); },
                          [this] { drained_ = true; }, [this] { return keeps_folder_; },
                          [this](auto attempts) { unanswered_ = std::move(attempts); }},
        timing_);
  }

  virtual Machine machine() const {
    Machine machine;
    machine.cores = {0, 1, 2, 3};
    machine.memory = 8_GiB;
    return machine;
  }
  // Where attempts run besides `local`.
  virtual Pools pools(PoolUse local) { return Pools({std::move(local)}); }
  virtual void on_ended(const EndedAttempt& attempt) { ended_.push_back(attempt); }

  // Stores a sweep and returns its queued attempts, in order.
  std::vector<OpenAttempt> store_sweep(const std::vector<Settings>& points) {
    const NewSweep request = sweep("s", points);
    sweep_ = request.id;
    return writer_->now([&](Store&) { return submit(request).queued; });
  }
  std::vector<OpenAttempt> enqueue(const std::vector<Settings>& points) {
    auto queued = store_sweep(points);
    dispatcher_->enqueue(queued);
    return queued;
  }

  // Runs the loop until `so` is true. Returns false if nothing can happen any more, or after ten
  // seconds.
  bool until(const std::function<bool()>& so) {
    // Calls it once each time, since its condition may pass a moment later.
    for (int i = 0; i < 1000; ++i) {
      if (so()) return true;
      io_->restart();
      io_->run_one_for(std::chrono::milliseconds(10));
    }
    return so();
  }
  // Does everything that needs no waiting for a process or for time to pass.
  void settle() {
    do {
      io_->restart();
      io_->poll();
    } while (until_quiet());
  }
  bool until_started(std::size_t n) {
    return until([&] { return executor_.started.size() >= n && executor_.is_heard(); });
  }
  bool until_ended(std::size_t n) {
    return until([&] { return ended_.size() >= n; });
  }

  AttemptFolder folder_of(const OpenAttempt& attempt) const {
    return AttemptFolder(folder_ / "runs" / attempt.id);
  }
  // The rank writes its last event and exits with 0, as workers do.
  void say_and_exit(const OpenAttempt& attempt, int rank, const Ending& ending) {
    write_events(folder_of(attempt), rank, {step(0, 2.5), end_event(ending)});
    executor_.end(rank, {std::nullopt, 0});
  }
  static Event end_event(const Ending& ending) { return end(ending); }
  void finish_well(const OpenAttempt& attempt, int rank = 0) {
    say_and_exit(attempt, rank, {Done{"fixed_steps"}, rank});
  }

  // Returns "done", "crashed by rank 1", "queued" or "running", as the database has it.
  std::string stored(const OpenAttempt& attempt) const {
    Connection database(file(), Access::kReadOnly);
    Query query(database, "SELECT outcome, rank, started_ns FROM attempt WHERE row = ?");
    query.bind(attempt.row);
    if (!query.next()) return "no such row";
    if (query.is_null(0)) return query.is_null(2) ? "queued" : "running";
    const std::string by =
        query.integer(1) > 0 ? " by rank " + std::to_string(query.integer(1)) : "";
    return query.text(0) + by;
  }
  std::string detail(const OpenAttempt& attempt) {
    const auto rows = reader_->attempts_of_sweep(sweep_, 0);
    if (!rows) return rows.error().message;
    for (const AttemptRow& row : *rows) {
      if (row.id == attempt.id) return row.detail;
    }
    return "no such attempt";
  }
  std::int64_t samples(const OpenAttempt& attempt) const {
    Connection database(file(), Access::kReadOnly);
    Query query(database, "SELECT count(*) FROM sample WHERE attempt = ?");
    query.bind(attempt.row);
    return query.next() ? query.integer(0) : -1;
  }
  // Until it is undone, no attempt can be stored as ended, as on a full disk.
  void break_store() const {
    Connection(file(), Access::kReadWrite)
        .execute(
            "CREATE TRIGGER full_disk BEFORE UPDATE OF outcome ON attempt "
            "BEGIN SELECT RAISE(ABORT, 'disk is full'); END");
  }
  void mend_store() const {
    Connection(file(), Access::kReadWrite).execute("DROP TRIGGER full_disk");
  }

  std::unique_ptr<boost::asio::io_context> io_;
  std::unique_ptr<Writer> writer_;
  FakeExecutor executor_;
  std::unique_ptr<Dispatcher> dispatcher_;
  std::vector<EndedAttempt> ended_;
  std::vector<OpenAttempt> unanswered_;
  bool drained_ = false;
  bool keeps_folder_ = true;  // false: it was moved or deleted
  SweepId sweep_;
  DispatcherTiming timing_{.grace = milliseconds(20),
                           .store_retry = milliseconds(20),
                           .start_retry = milliseconds(5),
                           .start_retry_most = milliseconds(20),
                           .peer_grace = milliseconds(20)};

 private:
  // Waits for the threads beside the loop. Returns false if they had nothing to do.
  bool until_quiet() {
    bool any = false;
    while (writer_->pending() + dispatcher_->reading() > 0) {
      any = true;
      io_->restart();
      io_->run_one_for(std::chrono::milliseconds(10));
    }
    return any;
  }
};

}  // namespace sweepd
