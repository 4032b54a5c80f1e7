#include "runner/trace/snapshot_stack.h"

#include <type_traits>

namespace sweepd::trace {
namespace {

constexpr std::size_t kMostValues = 32 << 20;
constexpr std::size_t kMostNested = 4096;
constexpr std::size_t kBatch = 1000;  // of Python's pickler

}  // namespace

bool SnapshotStack::fail(const char* why) {
  mistake_ = {ErrorCode::kInvalidArgument, why};
  return false;
}

void PickleMemo::set(std::size_t index, PickleValue value) {
  constexpr int kPartBits = 4;
  constexpr std::int64_t kMostSmall = (std::int64_t{1} << (32 - kPartBits)) - 2;
  const bool small = value.number() >= 0 && value.number() <= kMostSmall;
  values_[index] = small ? static_cast<std::uint32_t>(value.number()) << kPartBits |
                               static_cast<std::uint32_t>(value.part())
                         : kIsLarge;
  if (!small) large_[index] = value;
}

PickleValue PickleMemo::at(std::size_t index) const {
  const std::uint32_t value = values_[index];
  if (value == kIsLarge) return large_.at(index);
  return PickleValue(static_cast<Part>(value & 15), value >> 4);
}

bool SnapshotStack::run(const PickleStep& step) {
  const std::size_t size = stack_.size();
  std::size_t from = 0;
  bool done = true;
  switch (step.op) {
    case PickleOp::kMark:
      if (marks_.size() >= kMostNested) return fail("its values are nested too deeply");
      marks_.push_back(size);
      return true;
    case PickleOp::kInteger: {
      const bool fits = step.integer >= -PickleValue::kMost && step.integer <= PickleValue::kMost;
      return push(fits ? PickleValue(Part::kInteger, step.integer) : PickleValue(Part::kOther));
    }
    case PickleOp::kText:
      done = push(parts_.text(step.text));
      break;
    case PickleOp::kOther:
      return push(PickleValue(Part::kOther));
    case PickleOp::kList:
    case PickleOp::kDict:
      return open(step.op == PickleOp::kList);
    case PickleOp::kTuple: {
      const auto members = static_cast<std::size_t>(step.integer);
      done = has_above_mark(members) && make_tuple(size - members);
      break;
    }
    case PickleOp::kMarkTuple:
      done = pop_mark(from) && make_tuple(from);
      break;
    case PickleOp::kAppend:
      done = has_above_mark(2) && append(size - 1, false);
      break;
    case PickleOp::kAppends:
      done = pop_mark(from) && append(from, true);
      break;
    case PickleOp::kSetItem:
      done = has_above_mark(3) && set_items(size - 2, false);
      break;
    case PickleOp::kSetItems:
      done = pop_mark(from) && set_items(from, true);
      break;
    case PickleOp::kPut:
      done = store(static_cast<std::size_t>(step.integer));
      break;
    case PickleOp::kMemoize:
      done = store(memo_.size());
      break;
    case PickleOp::kGet:
      done = fetch(step.integer);
      break;
    case PickleOp::kStop:
      done = stop();
      break;
  }
  if (done && parts_.mistake().message.empty()) return true;
  if (mistake_.message.empty()) mistake_ = parts_.mistake();
  return false;
}

inline bool SnapshotStack::push(PickleValue value) {
  if (stack_.size() >= kMostValues) return fail("too many values wait for their list");
  stack_.push_back(value);
  return true;
}

bool SnapshotStack::open(bool is_list) {
  if (opens_.size() >= kMostNested) return fail("too many lists and dictionaries are incomplete");
  const auto index = static_cast<std::int64_t>(opens_.size());
  Open& opened = opens_.emplace_back();
  if (!is_list) opened.members.emplace<Fields>();
  opened.position = stack_.size();
  return push(PickleValue(Part::kOpen, index));
}

// Values below the last mark are out of reach.
bool SnapshotStack::has_above_mark(std::size_t values) {
  const std::size_t floor = marks_.empty() ? 0 : marks_.back();
  return stack_.size() - floor >= values || fail("the operation needs more values than there are");
}

bool SnapshotStack::pop_mark(std::size_t& from) {
  if (marks_.empty()) return fail("the operation needs a mark, and there is none");
  from = marks_.back();
  marks_.pop_back();
  return true;
}

// Returns what the value is. An open list or dictionary becomes its part first.
PickleValue SnapshotStack::complete(std::size_t position) {
  const PickleValue value = stack_[position];
  return value.part() == Part::kOpen ? close(position) : value;
}

PickleValue SnapshotStack::close(std::size_t position) {
  Open& open = opens_[static_cast<std::size_t>(stack_[position].number())];
  const PickleValue part =
      std::visit([&](auto& members) { return parts_.made_of(members); }, open.members);
  stack_[position] = part;
  if (open.memo) memo_.set(*open.memo, part);
  open.complete = true;
  while (!opens_.empty() && opens_.back().complete) opens_.pop_back();
  return part;
}

// nullptr: the value is no such container, or it is complete.
template <class Members>
Members* SnapshotStack::open_at(std::size_t position) {
  const PickleValue value = stack_[position];
  if (value.part() == Part::kOpen) {
    Open& open = opens_[static_cast<std::size_t>(value.number())];
    if (auto* const members = std::get_if<Members>(&open.members)) return members;
  }
  fail(std::is_same_v<Members, PartList>
           ? "expected a list that is not complete; one that contains itself is not read"
           : "expected a dictionary that is not complete; one that contains itself is not read");
  return nullptr;
}

bool SnapshotStack::make_tuple(std::size_t from) {
  for (std::size_t i = from; i < stack_.size(); ++i) complete(i);
  stack_.resize(from);
  return push(PickleValue(Part::kOther));  // no tuple of a snapshot matters
}

bool SnapshotStack::append(std::size_t from, bool is_batch) {
  const std::size_t members = stack_.size() - from;
  if (from == 0 || !has_above_mark(members + 1)) return fail("there is no list to append to");
  for (std::size_t i = from; i < stack_.size(); ++i) {
    const PickleValue member = complete(i);
    auto* const list = open_at<PartList>(from - 1);
    if (list == nullptr) return false;
    parts_.append(*list, member);
  }
  stack_.resize(from);
  if (is_batch && members < kBatch) complete(from - 1);
  return true;
}

bool SnapshotStack::set_items(std::size_t from, bool is_batch) {
  const std::size_t values = stack_.size() - from;
  if (from == 0 || !has_above_mark(values + 1)) return fail("there is no dictionary to fill");
  if (values % 2 != 0) return fail("a key has no value");
  for (std::size_t i = from; i < stack_.size(); i += 2) {
    const PickleValue key = complete(i), value = complete(i + 1);
    auto* const dict = open_at<Fields>(from - 1);
    if (dict == nullptr) return false;
    parts_.set(*dict, key, value);
  }
  stack_.resize(from);
  if (is_batch && values / 2 < kBatch) complete(from - 1);
  return true;
}

bool SnapshotStack::store(std::size_t index) {
  if (!has_above_mark(1)) return false;
  if (index != memo_.size()) return fail("a number of the memo is left out or used twice");
  const PickleValue value = stack_.back();
  if (value.part() == Part::kOpen) {
    Open& open = opens_[static_cast<std::size_t>(value.number())];
    if (open.memo) return fail("a list or dictionary is stored twice in the memo");
    open.memo = index;
  }
  memo_.add(value);
  parts_.charge(sizeof(PickleValue));
  return true;
}

bool SnapshotStack::fetch(std::int64_t index) {
  if (index < 0 || static_cast<std::size_t>(index) >= memo_.size())
    return fail("nothing is stored in the memo there");
  const PickleValue value = memo_.at(static_cast<std::size_t>(index));
  if (value.part() != Part::kOpen) return push(value);
  return push(complete(opens_[static_cast<std::size_t>(value.number())].position));
}

bool SnapshotStack::stop() {
  if (!marks_.empty() || stack_.size() != 1) return fail("the pickle ends before its value does");
  snapshot_ = parts_.take(complete(0));
  return snapshot_.has_value();
}

}  // namespace sweepd::trace
