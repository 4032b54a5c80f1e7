// `<runs>/jobs/<owner>-<pool>/<job's name>/`: the messages between daemon and pilot.
//
// Written by the daemon:
//   job.json    the request to the manager, before it gets it; then the job's number
//   pilot.sh    the batch script
//   order       `NUMBER run ATTEMPT RANKS RANKS_PER_NODE ON_GPUS NODES`, or `fork` for `run` if the
//               loaded worker may run it, and `light` at its end if the one without LibTorch may;
//               then with the same number `stop` or `kill`; `NUMBER end`; `0 wait` at first
//   run.N/      folder of the order N
//   ended       `STATE|REASON|EXIT|NODES`, in the manager's words. No job is left
// Written by the pilot, and for an attempt that it forked by the loaded worker:
//   report      `NUMBER STATE JOB NODES [WORDS]`: the last order taken, and idle, runs, over,
//               prologue or ended
//   server.txt  the output of the loaded worker and its srun
//   taken/      exists from its start on: a second job of the same name ends at once
//   run.N/srun.txt, run.N/code    output and exit status of srun
// Written by rank R:
//   run.N/began.R    `TIME NODE JOB.STEP`, before the worker starts
//   run.N/exit.R     its exit status, and `terminated` if its step got SIGTERM
// Written by the manager:
//   output.txt       output of the batch script
//
// And in the attempt's folder `job`: `NAME NUMBER`, before the order is given.
//
// One side writes a file and the other reads it. A file is replaced by rename, so a reader sees the
// old text or the new one. Only what NFS promises is used (close-to-open): a file that is read
// repeatedly exists from the beginning and is reopened each time, and new files are found by
// listing their folder. No locks, no notification, no mapped memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runner/base/clock.h"
#include "runner/base/ids.h"
#include "runner/base/result.h"

namespace sweepd {

// How a job ended, in the manager's words.
struct EndedJob {
  std::string state;   // "NODE_FAIL", "CANCELLED"; "" if the manager no longer knows it
  std::string reason;  // "" if none
  std::string exit;    // "1:0": exit status and signal of the batch script
  std::string nodes;
};

struct PilotReport {
  std::int64_t number = 0;  // of the last order that it took
  std::string state;        // "": it has not begun
  std::int64_t job = 0;     // the manager's number
  std::string nodes;        // "node[1-2]"
  std::string words;
};

struct BegunRank {
  WallTime when;
  std::string node;
};

// The files of one order's ranks.
struct RunFiles {
  std::map<int, BegunRank> began;
  std::map<int, int> exits;  // as a shell has them: 128 + signal
  bool terminated = false;   // the step got SIGTERM
};

struct JobRecord {
  std::int64_t nodes = 1;
  Duration time{0};
  WallTime asked;           // when its folder was made
  std::int64_t number = 0;  // the manager's; 0: not known, perhaps it was never submitted
};

struct GivenOrder {
  std::int64_t number = 0;
  std::string verb;
  friend bool operator==(const GivenOrder&, const GivenOrder&) = default;
};

// Which order ran an attempt.
struct OrderOfAttempt {
  std::string job;
  std::int64_t number = 0;
};

class JobFolder {
 public:
  explicit JobFolder(std::filesystem::path path) : path_(std::move(path)) {}

  const std::filesystem::path& path() const { return path_; }
  std::string name() const { return path_.filename().string(); }
  std::filesystem::path script() const { return path_ / "pilot.sh"; }
  std::filesystem::path output() const { return path_ / "output.txt"; }
  std::filesystem::path run(std::int64_t number) const {
    return path_ / ("run." + std::to_string(number));
  }
  std::filesystem::path srun_output(std::int64_t number) const { return run(number) / "srun.txt"; }

  // Makes the folder with its first order and an empty report, and the two above it in `runs`.
  Result<void> make(const JobRecord& record, const std::string& script) const;
  Result<void> write_record(const JobRecord& record) const;
  Result<void> order(const std::string& text) const;
  Result<void> end(const EndedJob& end) const;  // writes `ended`

  std::optional<JobRecord> record() const;
  // False if the daemon died while it made the folder, so before sbatch ran.
  bool is_whole() const;
  GivenOrder last_order() const;
  PilotReport report() const;
  std::optional<WallTime> began() const;  // when the pilot did
  RunFiles files_of(std::int64_t number) const;
  bool has_ended() const;
  EndedJob ended() const;  // as `end` wrote it

 private:
  std::filesystem::path path_;
};

Result<void> write_order_of_attempt(const std::filesystem::path& attempt_folder,
                                    const OrderOfAttempt& order);
std::optional<OrderOfAttempt> read_order_of_attempt(const std::filesystem::path& attempt_folder);

// Returns the last line that is not blank, at most 300 bytes; "" without the file.
std::string last_line_of(const std::filesystem::path& file);
// The last ones with `; ` between them, at most 300 bytes of their end.
std::string last_lines_of(const std::filesystem::path& file, std::size_t count);

}  // namespace sweepd
