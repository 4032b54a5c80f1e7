#include "runner/daemon/folder_watch.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "runner/base/files.h"

namespace sweepd {

FolderWatch::FolderWatch(const StateFolder& state, const UniqueFd& lock)
    : state_(state),
      lock_(lock),
      folder_(::open(state.path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {}

FolderPlace FolderWatch::place() const {
  if (file_id(state_.lock()) == file_id(lock_.get())) return FolderPlace::kHere;
  struct stat info {};
  const bool deleted = ::fstat(folder_.get(), &info) == 0 && info.st_nlink == 0;
  return deleted ? FolderPlace::kDeleted : FolderPlace::kMoved;
}

}  // namespace sweepd
