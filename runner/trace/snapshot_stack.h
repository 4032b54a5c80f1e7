// Does the operations of a memory snapshot's pickle, as Python's unpickler would, with parts of a
// snapshot in place of objects (snapshot_parts.h).
//
// Lists and dictionaries are complete when another one or the memo refers to them, or after a batch
// of fewer than 1000 members, because Python's pickler writes no more of them then. A list that
// contains itself is therefore an error.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <variant>
#include <vector>

#include "runner/trace/pickle_steps.h"
#include "runner/trace/snapshot_parts.h"

namespace sweepd::trace {

// The values that the pickle has stored. There are millions, so each takes four bytes; the few that
// are larger are in a map.
class PickleMemo {
 public:
  std::size_t size() const { return values_.size(); }
  void add(PickleValue value) {
    values_.push_back(0);
    set(values_.size() - 1, value);
  }
  void set(std::size_t index, PickleValue value);
  PickleValue at(std::size_t index) const;

 private:
  static constexpr std::uint32_t kIsLarge = UINT32_MAX;
  std::deque<std::uint32_t> values_;  // the number above four bits of its part
  std::unordered_map<std::size_t, PickleValue> large_;
};

class SnapshotStack {
 public:
  // Does one operation. false: `mistake` says why it cannot be done.
  bool run(const PickleStep& step);
  const Error& mistake() const { return mistake_; }
  // After kStop.
  std::optional<MemorySnapshot> take() { return std::move(snapshot_); }

 private:
  struct Open {
    std::variant<PartList, Fields> members;
    bool complete = false;
    std::size_t position = 0;         // in the stack
    std::optional<std::size_t> memo;  // where it is stored
  };

  bool push(PickleValue value);
  bool open(bool is_list);
  bool make_tuple(std::size_t from);
  bool append(std::size_t from, bool is_batch);
  bool set_items(std::size_t from, bool is_batch);
  bool store(std::size_t index);
  bool fetch(std::int64_t index);
  bool stop();
  bool pop_mark(std::size_t& from);
  bool has_above_mark(std::size_t values);
  template <class Members>
  Members* open_at(std::size_t position);
  PickleValue complete(std::size_t position);
  PickleValue close(std::size_t position);
  bool fail(const char* why);

  SnapshotParts parts_;
  std::vector<PickleValue> stack_;
  std::vector<std::size_t> marks_;  // positions in the stack
  std::vector<Open> opens_;         // in the order of their positions
  PickleMemo memo_;
  std::optional<MemorySnapshot> snapshot_;
  Error mistake_;
};

}  // namespace sweepd::trace
