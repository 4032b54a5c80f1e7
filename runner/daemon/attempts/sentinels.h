// Queues the sentinels of sweeps when `SentinelPlan` says so. Lives on the event loop; the writer's
// thread stores them as attempts, which then run like any other, before all waiting ones.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "runner/daemon/threads/writer.h"
#include "runner/model/attempt/open_attempt.h"
#include "runner/model/vocabulary/catalog.h"
#include "runner/sched/sentinel_plan.h"

namespace sweepd {

class Sentinels {
 public:
  struct Hooks {
    std::function<void(OpenAttempt)> queue;  // a sentinel, which the database has
    std::function<void()> resume;            // attempts that were held back may start
  };

  Sentinels(Writer& writer, const Catalog& catalog, Hooks hooks)
      : writer_(writer), catalog_(catalog), hooks_(std::move(hooks)) {}

  // Each call ignores attempts that neither have nor are a sentinel. The catalog has their
  // workload.
  void opened(const OpenAttempt& attempt);      // queued, again, or adopted
  bool holds_back(const OpenAttempt& attempt);  // it would start; true: it must wait
  void started(const OpenAttempt& attempt);     // it starts, or was running already
  void ended(const OpenAttempt& attempt);       // whatever its outcome
  // Those that the previous daemon could not queue any more.
  void queue_owed(const std::vector<OwedSentinel>& owed);

 private:
  Watched watched_by(const OpenAttempt& attempt) const;
  void queue(const Watched& watched);

  Writer& writer_;
  const Catalog& catalog_;
  Hooks hooks_;
  SentinelPlan plan_;
};

}  // namespace sweepd
