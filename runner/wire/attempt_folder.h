// The names of the files in `<state>/runs/<attempt>/`, defined in one place.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "runner/base/ids.h"
#include "runner/base/result.h"

namespace sweepd {

// EX_IOERR: the rank could not write its journal (a full disk); its log has its last message.
inline constexpr int kExitJournal = 74;
// The dynamic loader's exit code if a library of the worker is missing (during a build, say).
inline constexpr int kExitNotLoaded = 127;

class AttemptFolder {
 public:
  explicit AttemptFolder(std::filesystem::path path) : path_(std::move(path)) {}
  // Returns the folder of an attempt that a database names. The database may come from another
  // machine, and a false id could lead out of the folder.
  static Result<AttemptFolder> of(const std::filesystem::path& runs, const AttemptId& attempt) {
    if (is_id(attempt)) return AttemptFolder(runs / attempt);
    return Error{ErrorCode::kInvalidArgument,
                 "the database has an attempt `" + attempt + "`; expected hex digits as its id"};
  }
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path request() const { return path_ / "request.json"; }
  // How it ended, if not as `done` (wire/outcome_file.h).
  std::filesystem::path outcome() const { return path_ / "outcome.json"; }
  std::filesystem::path events(int rank) const {
    return path_ / ("events." + std::to_string(rank) + ".ndjson");
  }
  std::filesystem::path log(int rank) const {
    return path_ / ("log." + std::to_string(rank) + ".txt");
  }
  // Written by the profile pass, for chrome://tracing and Perfetto.
  std::filesystem::path trace(int rank) const {
    return path_ / ("trace." + std::to_string(rank) + ".json");
  }
  std::filesystem::path status(int rank) const {
    return path_ / ("status." + std::to_string(rank));
  }
  // Written by a memory pass on a GPU; opens in PyTorch's memory viewer.
  std::filesystem::path memory_snapshot(int rank) const {
    return path_ / ("memory_snapshot." + std::to_string(rank) + ".pickle");
  }
  // Written by the daemon before it ends ranks: the reason, and the ranks that had ended before.
  std::filesystem::path end_note() const { return path_ / "ending.json"; }
  // The rank's place (wire/rank_pidfile.h): "<pid> <start time> <boot id>\n" and a lock.
  std::filesystem::path pid(int rank) const { return path_ / ("pid." + std::to_string(rank)); }

  // Whether the file is a record of a rank's work: its journal, log, trace or memory snapshot. It
  // may be compressed for an old attempt (base/gzip_file.h).
  static bool is_record(std::string_view name);
  // Whether a file with this name is about a rank's process, and useless after it.
  static bool is_of_process(std::string_view name);

 private:
  std::filesystem::path path_;
};

}  // namespace sweepd
