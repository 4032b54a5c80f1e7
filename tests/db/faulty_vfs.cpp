#include "tests/db/faulty_vfs.h"

#include <sqlite3.h>

#include <cstddef>
#include <new>

namespace sweepd {

using Kind = DiskChange::Kind;

struct FaultyVfs::State {
  sqlite3_vfs shim{};
  sqlite3_vfs* below = nullptr;
  std::optional<Fault> fault;
  std::vector<DiskChange> changes;
  std::int64_t writes = 0, refused = 0;

  bool refuses_next() {
    ++writes;
    const bool refuses = fault && (fault->lasting == Fault::Lasting::kOnce ? writes == fault->at
                                                                           : writes >= fault->at);
    if (refuses) ++refused;
    return refuses;
  }
  // The errors of Unix's VFS for EIO and ENOSPC; only for a write does it report a full disk.
  int error_of_write() const {
    return fault->error == Fault::Error::kFull ? SQLITE_FULL : SQLITE_IOERR_WRITE;
  }
};

namespace {

using State = FaultyVfs::State;

// The open file of the VFS below lies behind it.
struct ShimFile {
  sqlite3_file base;
  State* state;
  std::string* name;  // null: a temporary file, which may be lost
  bool new_log;       // its first sync puts its name on the disk too, as Unix's VFS does it
};
constexpr std::size_t kShimSize = (sizeof(ShimFile) + alignof(std::max_align_t) - 1) /
                                  alignof(std::max_align_t) * alignof(std::max_align_t);

ShimFile& shim_of(sqlite3_file* file) {
  return *reinterpret_cast<ShimFile*>(file);
}
sqlite3_file* below_of(sqlite3_file* file) {
  return reinterpret_cast<sqlite3_file*>(reinterpret_cast<char*>(file) + kShimSize);
}

void note(ShimFile& file, Kind kind, std::int64_t offset = 0, std::string bytes = {}) {
  if (file.name != nullptr) {
    file.state->changes.push_back({kind, *file.name, offset, std::move(bytes)});
  }
}

int close_file(sqlite3_file* file) {
  delete shim_of(file).name;
  return below_of(file)->pMethods->xClose(below_of(file));
}

int read(sqlite3_file* file, void* bytes, int size, sqlite3_int64 offset) {
  return below_of(file)->pMethods->xRead(below_of(file), bytes, size, offset);
}

int write(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset) {
  ShimFile& shim = shim_of(file);
  const bool refuses = shim.name != nullptr && shim.state->refuses_next();
  const int written = refuses ? size / 2 : size;
  note(shim, Kind::kWrite, offset,
       std::string(static_cast<const char*>(bytes), static_cast<std::size_t>(written)));
  const int code = below_of(file)->pMethods->xWrite(below_of(file), bytes, written, offset);
  return refuses ? shim.state->error_of_write() : code;
}

int truncate(sqlite3_file* file, sqlite3_int64 size) {
  ShimFile& shim = shim_of(file);
  if (shim.name != nullptr && shim.state->refuses_next()) return SQLITE_IOERR_TRUNCATE;
  note(shim, Kind::kTruncate, size);
  return below_of(file)->pMethods->xTruncate(below_of(file), size);
}

int sync(sqlite3_file* file, int flags) {
  ShimFile& shim = shim_of(file);
  if (shim.name != nullptr && shim.state->refuses_next()) {
    note(shim, Kind::kFailedSync);
    return SQLITE_IOERR_FSYNC;
  }
  note(shim, Kind::kSync);
  if (shim.new_log) note(shim, Kind::kSyncFolder);
  shim.new_log = false;
  return below_of(file)->pMethods->xSync(below_of(file), flags);
}

int file_size(sqlite3_file* file, sqlite3_int64* size) {
  return below_of(file)->pMethods->xFileSize(below_of(file), size);
}
int lock(sqlite3_file* file, int level) {
  return below_of(file)->pMethods->xLock(below_of(file), level);
}
int unlock(sqlite3_file* file, int level) {
  return below_of(file)->pMethods->xUnlock(below_of(file), level);
}
int check_reserved_lock(sqlite3_file* file, int* reserved) {
  return below_of(file)->pMethods->xCheckReservedLock(below_of(file), reserved);
}
int file_control(sqlite3_file* file, int what, void* argument) {
  return below_of(file)->pMethods->xFileControl(below_of(file), what, argument);
}
int sector_size(sqlite3_file* file) {
  return below_of(file)->pMethods->xSectorSize(below_of(file));
}
int device_characteristics(sqlite3_file* file) {
  return below_of(file)->pMethods->xDeviceCharacteristics(below_of(file));
}
int shm_map(sqlite3_file* file, int region, int size, int extend, void volatile** memory) {
  return below_of(file)->pMethods->xShmMap(below_of(file), region, size, extend, memory);
}
int shm_lock(sqlite3_file* file, int offset, int count, int flags) {
  return below_of(file)->pMethods->xShmLock(below_of(file), offset, count, flags);
}
void shm_barrier(sqlite3_file* file) {
  below_of(file)->pMethods->xShmBarrier(below_of(file));
}
int shm_unmap(sqlite3_file* file, int remove) {
  return below_of(file)->pMethods->xShmUnmap(below_of(file), remove);
}

// Version 2: without memory mapping, so that every write of a page comes through here.
const sqlite3_io_methods kMethods = {2,
                                     close_file,
                                     read,
                                     write,
                                     truncate,
                                     sync,
                                     file_size,
                                     lock,
                                     unlock,
                                     check_reserved_lock,
                                     file_control,
                                     sector_size,
                                     device_characteristics,
                                     shm_map,
                                     shm_lock,
                                     shm_barrier,
                                     shm_unmap,
                                     nullptr,
                                     nullptr};

State& state_of(sqlite3_vfs* vfs) {
  return *static_cast<State*>(vfs->pAppData);
}

int open_file(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  State& state = state_of(vfs);
  const bool kept = name != nullptr && (flags & SQLITE_OPEN_DELETEONCLOSE) == 0;
  int there = 0;
  if (kept) state.below->xAccess(state.below, name, SQLITE_ACCESS_EXISTS, &there);
  const int code = state.below->xOpen(state.below, name, below_of(file), flags, out_flags);
  // SQLite closes a file that has methods even when opening it failed.
  file->pMethods = code == SQLITE_OK ? &kMethods : nullptr;
  if (code != SQLITE_OK) return code;
  ShimFile& shim = shim_of(file);
  shim.state = &state;
  shim.name = kept ? new std::string(name) : nullptr;
  shim.new_log = kept && (flags & SQLITE_OPEN_CREATE) != 0 &&
                 (flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL)) != 0;
  if (kept && there == 0) note(shim, Kind::kCreate);
  return SQLITE_OK;
}

int delete_file(sqlite3_vfs* vfs, const char* name, int sync_folder) {
  State& state = state_of(vfs);
  const int code = state.below->xDelete(state.below, name, sync_folder);
  if (code != SQLITE_OK) return code;
  state.changes.push_back({Kind::kRemove, name});
  if (sync_folder != 0) state.changes.push_back({Kind::kSyncFolder, name});
  return code;
}

int access_file(sqlite3_vfs* vfs, const char* name, int flags, int* result) {
  return state_of(vfs).below->xAccess(state_of(vfs).below, name, flags, result);
}
int full_pathname(sqlite3_vfs* vfs, const char* name, int size, char* out) {
  return state_of(vfs).below->xFullPathname(state_of(vfs).below, name, size, out);
}
int randomness(sqlite3_vfs* vfs, int size, char* out) {
  return state_of(vfs).below->xRandomness(state_of(vfs).below, size, out);
}
int sleep_us(sqlite3_vfs* vfs, int us) {
  return state_of(vfs).below->xSleep(state_of(vfs).below, us);
}
int current_time(sqlite3_vfs* vfs, double* now) {
  return state_of(vfs).below->xCurrentTime(state_of(vfs).below, now);
}
int last_error(sqlite3_vfs* vfs, int size, char* out) {
  return state_of(vfs).below->xGetLastError(state_of(vfs).below, size, out);
}
int current_time_ms(sqlite3_vfs* vfs, sqlite3_int64* now) {
  return state_of(vfs).below->xCurrentTimeInt64(state_of(vfs).below, now);
}

}  // namespace

FaultyVfs::FaultyVfs() : state_(std::make_unique<State>()) {
  state_->below = sqlite3_vfs_find("unix");
  sqlite3_vfs& shim = state_->shim;
  shim.iVersion = 2;
  shim.szOsFile = static_cast<int>(kShimSize) + state_->below->szOsFile;
  shim.mxPathname = state_->below->mxPathname;
  shim.zName = "faulty";
  shim.pAppData = state_.get();
  shim.xOpen = open_file;
  shim.xDelete = delete_file;
  shim.xAccess = access_file;
  shim.xFullPathname = full_pathname;
  shim.xRandomness = randomness;
  shim.xSleep = sleep_us;
  shim.xCurrentTime = current_time;
  shim.xGetLastError = last_error;
  shim.xCurrentTimeInt64 = current_time_ms;
  sqlite3_vfs_register(&shim, 1);
}

FaultyVfs::~FaultyVfs() {
  sqlite3_vfs_register(state_->below, 1);  // the default again
  sqlite3_vfs_unregister(&state_->shim);
}

void FaultyVfs::set_fault(const std::optional<Fault>& fault) {
  state_->fault = fault;
}
const std::vector<DiskChange>& FaultyVfs::changes() const {
  return state_->changes;
}
std::int64_t FaultyVfs::writes() const {
  return state_->writes;
}
std::int64_t FaultyVfs::refused() const {
  return state_->refused;
}

}  // namespace sweepd
