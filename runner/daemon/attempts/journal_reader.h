// Reads the journals of attempts that have ended, on another thread: the journal of a million steps
// takes ten seconds. Reading disturbs measurements beside it, so an attempt keeps its lease while
// it is read, but not for long. An unreadable journal is retried: a disk or a network file system
// may answer again, or a limit on open files no longer be reached. Lives on the event loop.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "runner/daemon/attempts/backoff.h"
#include "runner/daemon/attempts/dispatcher_timing.h"
#include "runner/daemon/attempts/pool_folders.h"
#include "runner/daemon/attempts/pools.h"
#include "runner/daemon/attempts/run.h"
#include "runner/model/attempt/attempt_record.h"

namespace sweepd {

// The party responsible for a failed start, or for ranks that could not begin or keep a journal.
enum class Blame { kMachine, kPerhapsTheAttempt };

struct ReadAttempt {
  AttemptRecord record;
  std::optional<Blame> blame;  // the machine ended the run before it could measure
};

class JournalReader {
 public:
  struct Hooks {
    std::function<void(const std::shared_ptr<Run>&, std::shared_ptr<ReadAttempt>)> read;
    std::function<void(std::int64_t row)> free_lease;  // before the attempt is read
    std::function<void()> changed;                     // `trouble` is another one
    std::function<bool()> keeps_folder;                // as Dispatcher::Hooks
  };

  // The folders are those of the pools.
  JournalReader(boost::asio::io_context& io, const Pools& pools, PoolFolders& folders,
                const DispatcherTiming& timing, Hooks hooks)
      : io_(io), pools_(pools), folders_(folders), timing_(timing), hooks_(std::move(hooks)) {}

  // Calls `Hooks::read` once, when the journals of the pool's attempt have been read.
  void read(const std::shared_ptr<Run>& run, PoolIndex pool);
  bool waits_to_read_again() const { return !unread_.empty(); }
  // Which journals take long or cannot be read, as a sentence; "": none.
  std::string trouble() const;

 private:
  void watch(const OpenAttempt& attempt);
  void end_watch(std::int64_t row);
  // Returns false if it was tried for long enough.
  bool read_later(const std::shared_ptr<Run>& run, PoolIndex pool, const std::string& why);

  boost::asio::io_context& io_;
  const Pools& pools_;
  PoolFolders& folders_;
  DispatcherTiming timing_;
  Hooks hooks_;
  // Of attempts whose journals cannot be read, by their rows.
  struct Unread {
    Unread(boost::asio::io_context& io, const DispatcherTiming& timing)
        : pause(timing.read_retry, timing.read_retry_most), timer(io) {}
    std::string why;
    Instant since = now_instant();
    Backoff pause;
    boost::asio::steady_timer timer;
  };
  std::map<std::int64_t, Unread> unread_;
  // Of attempts whose journals are being read, by their rows.
  struct Reading {
    Reading(AttemptId of, boost::asio::io_context& io) : id(std::move(of)), timer(io) {}
    AttemptId id;
    boost::asio::steady_timer timer;
    bool is_long = false;
  };
  std::map<std::int64_t, Reading> readings_;
};

}  // namespace sweepd
