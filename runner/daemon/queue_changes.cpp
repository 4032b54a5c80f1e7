// The part of the dispatcher that adds attempts to its queue and removes them, a few milliseconds
// at a time: a million of them take seconds.
#include <malloc.h>

#include <boost/asio/post.hpp>

#include "runner/daemon/dispatcher.h"
#include "runner/daemon/run.h"

namespace sweepd {
namespace {

constexpr Duration kSlice = milliseconds(5);
constexpr std::size_t kLook = 64;  // changes between two checks of the clock
// Memory of a large sweep's changes is returned to the system; the allocator would keep it.
constexpr std::size_t kLarge = 10'000;

}  // namespace

void Dispatcher::enqueue(std::vector<OpenAttempt> attempts) {
  change({std::move(attempts), {}});
}

void Dispatcher::forget(std::vector<std::int64_t> queued_rows) {
  change({{}, std::move(queued_rows)});
}

void Dispatcher::change(Change change) {
  arriving_ += change.added.size();
  changes_.push_back(std::move(change));
  if (changes_.size() == 1) carry_out_changes();
}

void Dispatcher::carry_out_changes() {
  const Instant end = now_instant() + kSlice;
  while (!changes_.empty()) {
    Change& first = changes_.front();
    const std::size_t all = first.added.size() + first.forgotten.size();
    while (first.next < all) {
      const std::size_t i = first.next++;
      if (i < first.added.size()) {
        --arriving_;
        add(std::move(first.added[i]));
      } else {
        forget_one(first.forgotten[i - first.added.size()]);
      }
      if (first.next % kLook == 0 && now_instant() > end) {
        boost::asio::post(io_, [this] { carry_out_changes(); });
        return;
      }
    }
    if (first.added.size() >= kLarge) {
      journals_.let_go(std::make_shared<std::vector<OpenAttempt>>(std::move(first.added)));
      journals_.run([] { ::malloc_trim(0); }, [this] { schedule_pump(); });
    }
    changes_.pop_front();
  }
  offer_analytic();
  hooks_.changed();
  schedule_pump();
}

void Dispatcher::add(OpenAttempt attempt) {
  const WorkloadDef* def = catalog_.find(attempt.workload);
  if (def == nullptr) {
    return end_without_process(attempt,
                               {Skipped{"this worker has no workload `" + attempt.workload +
                                        "`; use a build that has it, then retry"}});
  }
  if (def->analytic) {
    analytic_.add(item_of(attempt));
  } else {
    scheduler_.add(item_of(attempt));
  }
  waiting_.add(std::move(attempt));
}

void Dispatcher::forget_one(std::int64_t row) {
  if (!forget_analytic(row)) scheduler_.cancel(row);
  waiting_.erase(row);
}

}  // namespace sweepd
