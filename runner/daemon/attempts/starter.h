// Takes attempts from their lease to running ranks: marks them started in the database, writes
// folder and request, and has the executor start them. In this order, so that wherever the daemon
// dies the next one knows what it finds. Lives on the event loop.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "runner/daemon/threads/writer.h"
#include "runner/exec/executor.h"
#include "runner/model/catalog.h"
#include "runner/model/machine_id.h"
#include "runner/model/open_attempt.h"

namespace sweepd {

// An attempt that has its lease and is being marked started, or whose ranks are being started.
struct Starting {
  OpenAttempt attempt;
  WallTime when;
  bool cancelled = false;  // in the meantime
};

class Starter {
 public:
  struct Hooks {
    std::function<void(Starting)> started;                        // all ranks run
    std::function<void(OpenAttempt, const Error&)> failed;        // no rank runs
    std::function<void(OpenAttempt, const Error&)> not_recorded;  // the database refused
    std::function<void(std::int64_t row)> ended;  // in the database, before it could start
    std::function<MachineIds()> machines;         // on which it runs now
  };

  // `host_cores`: as in AttemptRequest.
  Starter(Writer& writer, Executor& executor, const Catalog& catalog, std::int64_t host_cores,
          std::filesystem::path runs, Hooks hooks);

  // Returns true if the executor first loads a worker for attempts like this one. Until it has,
  // `is_preparing`.
  bool prepare(const OpenAttempt& attempt, const Lease& lease);
  bool is_preparing() const { return preparing_; }

  void start(OpenAttempt attempt, const Lease& lease);
  // Its start goes on; `started` says that it was cancelled. Ignores unknown rows.
  void cancel(std::int64_t row);
  void kill_all();

  void hear(const AttemptStarted& event);
  void hear(const AttemptNotStarted& event);
  void hear(const WorkerLoaded&) { preparing_ = false; }

  bool empty() const { return starting_.empty(); }
  std::size_t size() const { return starting_.size(); }

 private:
  AttemptRequest request_of(const OpenAttempt& attempt, const Lease& lease) const;
  void marked(std::int64_t row, const Result<void>& marked);
  Result<void> launch(const OpenAttempt& attempt);
  std::optional<Starting> take(const AttemptId& attempt);

  Writer& writer_;
  Executor& executor_;
  const Catalog& catalog_;
  std::int64_t host_cores_;
  std::filesystem::path runs_;
  Hooks hooks_;
  std::map<std::int64_t, Starting> starting_;
  bool preparing_ = false;
};

}  // namespace sweepd
