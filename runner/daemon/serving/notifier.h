// Runs the commands that sweeps want at their ends (`submit --notify`), one at a time, each in its
// own session with `/bin/sh -c`. The database marks it as begun before it starts, so it
// never runs twice, also after a crash. A command continues if the daemon ends first.
//
// The command gets a summary of the sweep on stdin and in SWEEPD_* variables, the daemon's
// environment, and the state folder as its working folder. Its output goes to a log there. It is
// killed when it takes too long. Lives on the event loop, which never waits.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <filesystem>
#include <memory>
#include <string>

#include "runner/daemon/threads/side_thread.h"
#include "runner/daemon/threads/writer.h"
#include "runner/exec/spawn.h"
#include "runner/model/attempt/notification.h"

namespace sweepd {

inline constexpr Duration kNotifyLimit = seconds(300);

class Notifier {
 public:
  Notifier(boost::asio::io_context& io, Writer& writer, std::filesystem::path state,
           std::filesystem::path log, Duration limit = kNotifyLimit);

  // Call once, before the loop runs.
  Result<void> recover();
  // A sweep with a command was stored, or is to have its command run again.
  void expect();
  // An attempt ended, or sweeps changed: looks soon, if any command waits.
  void changed();
  // Begins no more commands. The running one finishes; the next daemon runs the rest.
  void stop() { stopped_ = true; }

 private:
  struct Command {
    EndedSweep sweep;
    Spawned process;
    std::unique_ptr<boost::asio::posix::stream_descriptor> end;  // its pidfd
    bool too_long = false;
  };

  void look_after(Duration pause);
  void look();
  void begin(EndedSweep sweep);
  void started(const std::shared_ptr<Command>& command, Result<Spawned> spawned);
  void limit(const std::shared_ptr<Command>& command);
  void ended(const Command& command, const std::string& problem);

  boost::asio::io_context& io_;
  Writer& writer_;
  std::filesystem::path state_, log_;
  Duration limit_;
  SideThread spawner_;  // a fork may take long on a busy machine
  boost::asio::steady_timer look_timer_, limit_timer_;
  bool owes_ = false;   // a sweep wants a command that has not begun
  bool armed_ = false;  // `look` will be called
  bool busy_ = false;   // asks the database, or a command runs
  bool again_ = false;  // something changed meanwhile
  bool stopped_ = false;
};

}  // namespace sweepd
