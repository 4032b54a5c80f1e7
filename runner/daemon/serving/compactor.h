// Compacts the folders of old `done` attempts (attempts/compact_folder.h), automatically and for
// `sweepctl compact`. Automatically it does so once a day, and soon after the daemon has started,
// when nothing has run on this machine for a while. It works on one folder after the other, on its
// own thread, and stops within milliseconds when an attempt begins: compressing beside it would
// disturb its timing. The rest waits until nothing runs again.
//
// Skips folders of clusters: they are on shared file systems, whose load this machine does not see.
#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "runner/base/clock.h"
#include "runner/base/units.h"
#include "runner/daemon/threads/reader_pool.h"
#include "runner/daemon/threads/side_thread.h"

namespace sweepd {

struct CompactorTiming {
  Duration quiet = seconds(10);     // nothing has run for this long
  Duration again = seconds(86400);  // between two times
};

struct Compacted {
  std::int64_t folders = 0;  // that were compacted, or would be
  Bytes before, after;       // of these, as allocated on the disk; `after` only if they were
  std::int64_t left = 0;     // that could not be
  std::string why_left;      // of the first of them
  bool stopped = false;      // an attempt began
};

class Compactor {
 public:
  // `older`: the age of an ended attempt from which its folder is compacted automatically; empty:
  // never. `is_quiet`: whether no attempt runs on this machine.
  Compactor(boost::asio::io_context& io, ReaderPool& readers, std::filesystem::path runs,
            std::optional<Duration> older, std::function<bool()> is_quiet,
            CompactorTiming timing = {});
  ~Compactor();
  Compactor(const Compactor&) = delete;
  Compactor& operator=(const Compactor&) = delete;

  // Call once. Without it only `compact` does something.
  void begin();
  // Something started, ended or was queued.
  void changed();

  enum class Mode { kForReal, kDryRun };
  // Compacts the folders of attempts that ended before a time. kFailedPrecondition while an attempt
  // runs, unless it is a dry run.
  boost::asio::awaitable<Result<Compacted>> compact(WallTime ended_before, Mode mode);

  // Runs a job while no folder is compacted, such as one that deletes folders. `job` must live
  // until this returns.
  boost::asio::awaitable<void> run_between(const std::function<void()>& job) {
    return thread_.run(job);
  }

 private:
  void wait_for_quiet();
  boost::asio::awaitable<void> pass();
  void rest();

  boost::asio::io_context& io_;
  ReaderPool& readers_;
  std::filesystem::path runs_;
  std::optional<Duration> older_;
  std::function<bool()> is_quiet_;
  CompactorTiming timing_;
  std::atomic<bool> stop_ = false;
  bool due_ = false;   // a pass is wanted once it is quiet
  bool busy_ = false;  // in a pass
  boost::asio::steady_timer timer_;
  SideThread thread_;
};

}  // namespace sweepd
