// Judges and stores the records of ended attempts, one at a time, in the order in which they came.
// A record that the database refuses stays first and blocks the queue until `store_next` is called
// again. Lives on the event loop; the writer's thread stores.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <unordered_set>

#include "runner/daemon/threads/pool_folder.h"
#include "runner/daemon/threads/side_thread.h"
#include "runner/daemon/threads/writer.h"
#include "runner/model/attempt/attempt_record.h"
#include "runner/model/attempt/open_attempt.h"
#include "runner/wire/attempt_folder.h"

namespace sweepd {

class ResultQueue {
 public:
  struct Hooks {
    // The attempt's result was stored or refused; either frees its lease.
    std::function<void(const OpenAttempt&)> tried;
    std::function<void(const OpenAttempt&, const std::string& why)> refused;
    // `is_new` is false if the database had an ending of the attempt already.
    std::function<void(const OpenAttempt&, const Ending&, bool is_new)> stored;
    // The last record was stored, and one of them had been refused.
    std::function<void()> recovered;
  };

  // `side` destroys the records.
  ResultQueue(Writer& writer, SideThread& side, Hooks hooks)
      : writer_(writer), side_(side), hooks_(std::move(hooks)) {}

  // `folder` may not exist; else it keeps how the attempt ended (wire/outcome_file.h). `files`
  // writes that file in a shared folder; null: the writer's thread does.
  void add(const OpenAttempt& attempt, std::shared_ptr<AttemptRecord> record, AttemptFolder folder,
           PoolFolder* files);
  void store_next();
  bool empty() const { return unstored_.empty(); }
  bool is_refused() const { return refused_; }  // until the last record has been stored
  bool holds(const std::unordered_set<TrialKey>& trials) const;

 private:
  // An attempt that has ended and is not in the database yet.
  struct Unstored {
    OpenAttempt attempt;
    std::shared_ptr<AttemptRecord> record;
    AttemptFolder folder;
    PoolFolder* files;
    bool judged = false;
    std::size_t samples_stored = 0;
  };

  void answered(const Result<bool>& result);

  Writer& writer_;
  SideThread& side_;
  Hooks hooks_;
  std::list<std::shared_ptr<Unstored>> unstored_;
  bool storing_ = false;  // the first of unstored_
  bool refused_ = false;  // the receiver calls `store_next`
};

}  // namespace sweepd
