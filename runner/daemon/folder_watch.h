// Checks whether the state folder is still the one that this daemon locked. Its path may lead
// elsewhere after a deletion or a move; the lock then does not keep other daemons out.
#pragma once

#include <filesystem>

#include "runner/base/unique_fd.h"
#include "runner/wire/endpoint.h"

namespace sweepd {

enum class FolderPlace {
  kHere,
  kMoved,    // it has another name; the next daemon there finds its contents
  kDeleted,  // data written to it is lost
};

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
