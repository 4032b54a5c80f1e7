// The attempts of a pool's pilots, from `start` or `adopt` to their last event, and the events that
// the executor has not taken yet.
//
// An attempt leaves the list with its last event (AttemptNotStarted, AttemptLost, AttemptOver), and
// only then. It waits until a job is given to it (`job` is not ""), and may wait again later.
#pragma once

#include <algorithm>
#include <list>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runner/exec/executor.h"
#include "runner/exec/pilot/needs.h"
#include "runner/exec/pilot/pilot_settings.h"

namespace sweepd {

struct PilotAttempt {
  AttemptId id;
  AttemptFolder folder;
  AttemptNeeds needs;
  bool forked = false;      // by the loaded worker of its job
  bool light = false;       // ... for which the one without LibTorch is enough
  std::string job = {};     // its name; "": it waits
  std::int64_t number = 0;  // of its order
  Instant given{};          // to the job
  bool started = false;
  bool stopped = false, killed = false;
  // Its step was ended from outside, perhaps with the job: how often the manager has reported since
  // then that the job runs.
  std::optional<int> in_doubt = {};
  std::set<int> ended = {};  // ranks

  bool waits() const { return job.empty(); }
  bool waits_for(std::int64_t nodes) const { return waits() && needs.nodes == nodes; }
};
PilotAttempt make_attempt(const PilotSettings& settings, const AttemptFolder& folder,
                          const AttemptRequest& request);

class PilotAttempts {
 public:
  PilotAttempt& add(PilotAttempt attempt) { return attempts_.emplace_back(std::move(attempt)); }
  bool empty() const { return attempts_.empty(); }
  std::list<PilotAttempt>& all() { return attempts_; }  // in the order in which they came
  const std::list<PilotAttempt>& all() const { return attempts_; }

  PilotAttempt* find(const AttemptId& id);  // null: none
  PilotAttempt* given_to(const std::string& job);
  bool any_waits() const { return std::ranges::any_of(attempts_, &PilotAttempt::waits); }
  std::int64_t waiting_for(std::int64_t nodes) const;

  void report(ExecutorEvent event) { events_.push_back(std::move(event)); }
  // Last events.
  void not_started(const AttemptId& id, Error why);
  void lost(const AttemptId& id, AttemptLost how);
  void over(const AttemptId& id);
  // Those that wait for a job of this size cannot have one now.
  void refuse_waiting(std::int64_t nodes, const Error& why);
  // It waits for another job, as if it had never had one. One that was killed is not started.
  void give_back(PilotAttempt& attempt);

  std::vector<ExecutorEvent> take_events() { return std::exchange(events_, {}); }

 private:
  void finish(const AttemptId& id, ExecutorEvent last);

  std::list<PilotAttempt> attempts_;
  std::vector<ExecutorEvent> events_;
};

}  // namespace sweepd
