// One attempt that this process starts, waits for and ends, without a database: like a Run
// (attempts/run.h), for a single rank in the foreground.
#pragma once

#include <optional>
#include <vector>

#include "runner/daemon/attempts/ingest.h"
#include "runner/daemon/ending_signals.h"
#include "runner/daemon/log_tail.h"
#include "runner/exec/executor.h"

namespace sweepd {

class TriedAttempt {
 public:
  // All live longer than this. The folder has the request.
  TriedAttempt(Executor& executor, EndingSignals& signals, AttemptFolder folder,
               AttemptRequest request);
  ~TriedAttempt();  // all its processes have ended
  TriedAttempt(const TriedAttempt&) = delete;
  TriedAttempt& operator=(const TriedAttempt&) = delete;

  // Shows the output until the end. An error: it could not be started.
  Result<AttemptRecord> run();

 private:
  void wait() const;
  void hear(const ExecutorEvent& event);
  void act(const Action& action);

  Executor& executor_;
  EndingSignals& signals_;
  AttemptFolder folder_;
  AttemptRequest request_;
  Item item_;
  Scheduler deadlines_;
  LogTail tail_;
  bool over_ = true;  // or it has not begun
  std::vector<EndedRank> ended_;
  std::optional<StopReason> stop_;
  std::optional<Error> error_;
};

}  // namespace sweepd
