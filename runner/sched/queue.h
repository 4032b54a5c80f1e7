// The waiting attempts in order: larger priority first, then smaller position. Balanced trees, so
// that adding, taking the first and removing from the middle are O(log n); a hash table would stall
// for 100 ms when it grows beyond a million. The comparison is a parameter only so that tests
// can count comparisons.
#pragma once

#include <cassert>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "runner/sched/scheduler.h"

namespace sweepd {

struct StartsBefore {
  bool operator()(const Item& a, const Item& b) const {
    if (a.priority != b.priority) return a.priority > b.priority;
    if (a.position != b.position) return a.position < b.position;
    return a.id < b.id;
  }
};

template <class Before = StartsBefore>
class WaitingQueue {
 public:
  explicit WaitingQueue(Before before = {}) : order_(std::move(before)) {}

  void add(const Item& item) {
    const auto [at, added] = order_.insert(item);
    assert(added && !where_.contains(item.id));
    where_.emplace(item.id, at);
  }
  bool remove(ItemId id) {
    const auto found = where_.find(id);
    if (found == where_.end()) return false;
    order_.erase(found->second);
    where_.erase(found);
    return true;
  }
  const Item* first() const { return order_.empty() ? nullptr : &*order_.begin(); }
  bool contains(ItemId id) const { return where_.contains(id); }
  std::size_t size() const { return order_.size(); }

 private:
  using Order = std::set<Item, Before>;
  Order order_;
  std::map<ItemId, typename Order::iterator> where_;
};

}  // namespace sweepd
