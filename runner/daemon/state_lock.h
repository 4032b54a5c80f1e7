// Ensures one daemon per state folder with flock(2): the kernel releases the lock with the process,
// so a crash leaves nothing to clean up.
#pragma once

#include "runner/base/result.h"
#include "runner/base/unique_fd.h"
#include "runner/wire/endpoint.h"

namespace sweepd {

// Creates the folder (0700) and takes its lock. kAlreadyExists names the process that holds it.
Result<UniqueFd> lock_state_folder(const StateFolder& state);

enum class FolderPlace {
  kHere,
  kMoved,    // it has another name; the next daemon there finds its contents
  kDeleted,  // data written to it is lost
};

// Checks whether the state folder is still the one that this daemon locked. Its path may lead
// elsewhere after a deletion or a move; the lock then does not keep other daemons out.
class FolderWatch {
 public:
  // `lock` must outlive it.
  FolderWatch(const StateFolder& state, const UniqueFd& lock);
  FolderPlace place() const;

 private:
  const StateFolder& state_;
  const UniqueFd& lock_;
  UniqueFd folder_;
};

}  // namespace sweepd
