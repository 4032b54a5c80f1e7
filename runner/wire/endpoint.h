// A daemon's state folder and socket, by the XDG base directory rules.
//
//   state folder  --state-dir, else $SWEEPD_STATE_DIR, else $XDG_STATE_HOME/sweepd,
//                 else ~/.local/state/sweepd
//   socket        <state>/sweepd.sock, mode 0600 in a folder of mode 0700
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "runner/base/unique_fd.h"

namespace sweepd {

// Returns the home folder that a login would set. Without a login (a cron job, a container) nothing
// must depend on the working folder.
std::filesystem::path home_folder();

class StateFolder {
 public:
  explicit StateFolder(std::filesystem::path path) : path_(std::move(path)) {}
  static StateFolder from_environment(const std::string& option);  // "" when not given

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path socket() const { return path_ / "sweepd.sock"; }
  std::filesystem::path lock() const { return path_ / "lock"; }
  std::filesystem::path database() const { return path_ / "results.db"; }
  std::filesystem::path runs() const { return path_ / "runs"; }
  std::filesystem::path sweeps() const { return path_ / "sweeps"; }  // wire/submission.h
  std::filesystem::path log() const { return path_ / "sweepd.log"; }
  // The output of the commands that run at the end of sweeps.
  std::filesystem::path notify_log() const { return path_ / "notify.log"; }
  std::filesystem::path secrets() const { return path_ / "secrets"; }
  std::filesystem::path catalog() const { return path_ / "catalog.json"; }

 private:
  std::filesystem::path path_;
};

// Returns the process that holds the folder's lock, "sweepd with pid 42", or nothing if no daemon
// does. The lock decides and not the socket, whose file may have been deleted.
std::optional<std::string> lock_holder(const StateFolder& state);

// Exit code of a sweepd that found the folder held by another one.
inline constexpr int kExitHeld = 3;
// Of `sweepd --try` and so of `sweepctl try`: not every pass was done.
inline constexpr int kExitNotAllDone = 4;

// A Unix socket's address has room for 107 bytes, but a state folder's path may be longer. This
// opens the folder and names the socket through it, `/proc/self/fd/<n>/sweepd.sock`. Keep `folder`
// open while binding or connecting.
struct SocketAddress {
  UniqueFd folder;
  std::string path;
};
SocketAddress socket_address(const StateFolder& state);

}  // namespace sweepd
