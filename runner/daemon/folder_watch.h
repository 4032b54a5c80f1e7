// Whether the state folder is still the one this daemon locked. Its path may lead elsewhere by now:
// somebody deleted it, or moved it away. The lock then keeps no other daemon out.
#pragma once

#include <filesystem>

#include "runner/base/unique_fd.h"
#include "runner/wire/endpoint.h"

namespace sweepd {

enum class FolderPlace {
  kHere,
  kMoved,    // it exists, under another name: the next daemon there finds what is in it
  kDeleted,  // what is written to it is lost
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
