// A VFS of SQLite above the one of Unix. It notes every change of a file, from which SimulatedDisk
// makes the disk after a power loss, and it refuses a write as a failing or full disk does.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sweepd {

struct DiskChange {
  enum class Kind {
    kCreate,      // of an empty file
    kWrite,       // of `bytes` at `offset`
    kTruncate,    // to `offset` bytes
    kSync,        // everything written to the file before is on the disk
    kFailedSync,  // the kernel dropped earlier writes without a later error
    kSyncFolder,  // the names of the file's folder are on the disk
    kRemove,
  };
  Kind kind;
  std::string file;  // its path
  std::int64_t offset = 0;
  std::string bytes{};
};

// Which write, truncation or sync is refused, counted from 1, and whether those after it are too.
struct Fault {
  enum class Error { kBroken, kFull };  // EIO, ENOSPC
  enum class Lasting { kOnce, kFromThenOn };
  std::int64_t at = 0;
  Error error = Error::kBroken;
  Lasting lasting = Lasting::kOnce;
};

// While it lives, connections that name no VFS use this one. It must outlive them. One at a time,
// on one thread. Registering it starts SQLite, so that memory is then counted if no connection was
// opened before (db/base/connection.cpp); nothing else depends on that.
class FaultyVfs {
 public:
  FaultyVfs();
  ~FaultyVfs();
  FaultyVfs(const FaultyVfs&) = delete;
  FaultyVfs& operator=(const FaultyVfs&) = delete;

  void set_fault(const std::optional<Fault>& fault);
  const std::vector<DiskChange>& changes() const;  // in their order
  std::int64_t writes() const;                     // and truncations and syncs, refused or not
  std::int64_t refused() const;                    // of them

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace sweepd
