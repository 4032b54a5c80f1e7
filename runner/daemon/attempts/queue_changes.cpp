#include "runner/daemon/attempts/queue_changes.h"

#include <boost/asio/post.hpp>
#include <memory>
#include <utility>

#include "runner/base/clock.h"

namespace sweepd {
namespace {

constexpr Duration kSlice = milliseconds(5);
constexpr std::size_t kLook = 64;       // changes between two checks of the clock
constexpr std::size_t kLarge = 10'000;  // freeing more takes milliseconds

}  // namespace

void QueueChanges::enqueue(std::vector<OpenAttempt> attempts) {
  add({std::move(attempts), {}, nullptr});
}

void QueueChanges::forget(std::vector<std::int64_t> rows) {
  add({{}, std::move(rows), hooks_.forget});
}

void QueueChanges::hold(Holds holds) {
  add({{}, std::move(holds.held), hooks_.hold});
  add({{}, std::move(holds.released), hooks_.release});
}

void QueueChanges::add(Change change) {
  arriving_ += change.added.size();
  changes_.push_back(std::move(change));
  if (changes_.size() == 1) carry_out();
}

void QueueChanges::carry_out_one(Change& change) {
  const std::size_t i = change.next++;
  if (i >= change.added.size()) return change.carry_out(change.rows[i - change.added.size()]);
  --arriving_;
  hooks_.add(std::move(change.added[i]));
}

void QueueChanges::carry_out() {
  const Instant end = now_instant() + kSlice;
  while (!changes_.empty()) {
    Change& first = changes_.front();
    while (first.next < first.added.size() + first.rows.size()) {
      carry_out_one(first);
      if (first.next % kLook == 0 && now_instant() > end) {
        boost::asio::post(io_, [this] { carry_out(); });
        return;
      }
    }
    if (first.added.size() >= kLarge) {
      side_.let_go(std::make_shared<std::vector<OpenAttempt>>(std::move(first.added)));
    }
    changes_.pop_front();
  }
  hooks_.done();
}

}  // namespace sweepd
