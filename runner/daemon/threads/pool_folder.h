// The folder of a pool's attempts. A cluster shares its folder, and while the file server is away
// every call there waits, perhaps for hours. So the loop makes no call on a shared folder: one
// thread does the small jobs of starts and ends, one after the other, and a second one reads
// journals and logs, which takes seconds. In a folder of this machine small jobs run at once, and a
// shared thread reads.
//
// All calls come from the loop, unless stated otherwise.
#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "runner/base/clock.h"
#include "runner/base/units.h"
#include "runner/daemon/threads/side_thread.h"

namespace sweepd {

// A shared folder that has not answered for this long is reported.
inline constexpr Duration kFolderSilence = seconds(5);

class PoolFolder {
 public:
  using Job = std::function<void()>;

  // Of this machine. `reader` lives longer.
  explicit PoolFolder(SideThread& reader) : reader_(&reader) {}
  // That others share.
  explicit PoolFolder(boost::asio::io_context& io);

  // Calls `done` from the loop when `job` has run: before this returns if the folder is of this
  // machine. Jobs run in the order of the calls.
  void run(
      Job job, Job done = [] {});
  // The same from any thread, and without `done`.
  void post(Job job);
  // Reads something large. Not in order with `run`.
  void read(Job job, Job done);
  // The same for a coroutine; `job` must live until it returns.
  boost::asio::awaitable<void> read(const Job& job);

  // Waits until the jobs before have run, but no longer than this. Not while the loop runs.
  void wait(Duration at_most);
  // Jobs whose `done` was not called yet, of a shared folder.
  std::size_t pending() const;
  // Since when a shared folder has not answered, if that is long enough to report.
  std::optional<Instant> silent_since() const;

 private:
  struct Lane {
    explicit Lane(boost::asio::io_context& io) : thread(io) {}
    Job timed(Job job);
    std::optional<Instant> held_for(Duration at_least) const;

    std::atomic<std::int64_t> began{0};  // start of the running job; 0: none runs
    SideThread thread;                   // last: its jobs use the other
  };

  SideThread* reader_ = nullptr;
  std::unique_ptr<Lane> working_, reading_;  // of a shared folder
};

}  // namespace sweepd
