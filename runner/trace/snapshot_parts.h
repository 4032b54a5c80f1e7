// Recognises the parts of a memory snapshot by the names of their fields, and keeps only what is
// needed of each: a dictionary with an `action` is an event, one with a `filename` a frame. So
// reading needs memory for the events and blocks, and not for the pickle's objects.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runner/trace/snapshot.h"

namespace sweepd::trace {

// What a value of the pickle has become. `number` is its meaning:
enum class Part : std::uint8_t {
  kAbsent,
  kOther,
  kInteger,  // itself
  kText,     // its id
  kOpen,     // a list or dictionary that may still grow; its index
  kEmpty,    // a list without members
  kFrame,    // its id, and its rank in the lowest two bits
  kFrames,   // a list of frames, or of such lists; the id of the one that counts
  kEvent,    // these wait until the list that they are in takes them; the number of each
  kEvents,
  kTraces,
  kBlock,
  kBlocks,
  kSegment,
  kSegments,
  kSnapshot,
};

class PickleValue {
 public:
  static constexpr std::int64_t kMost = (std::int64_t{1} << 59) - 1;

  PickleValue() = default;
  explicit PickleValue(Part part, std::int64_t number = 0)
      : bits_((static_cast<std::uint64_t>(number) << 4) | static_cast<std::uint64_t>(part)) {}
  Part part() const { return static_cast<Part>(bits_ & 15); }
  std::int64_t number() const { return static_cast<std::int64_t>(bits_) >> 4; }
  bool operator==(const PickleValue&) const = default;

 private:
  std::uint64_t bits_ = 0;
};

// Values that wait for their list. Each is taken once, in the order in which they were made.
template <class T>
class Waiting {
 public:
  std::int64_t add(T value) {
    values_.push_back(std::move(value));
    return first_ + static_cast<std::int64_t>(values_.size()) - 1;
  }
  std::optional<T> take(std::int64_t number) {
    for (; !values_.empty() && first_ < number; ++first_) values_.pop_front();
    if (values_.empty() || first_ != number) return std::nullopt;
    std::optional<T> taken(std::move(values_.front()));
    values_.pop_front();
    ++first_;
    return taken;
  }

 private:
  std::deque<T> values_;
  std::int64_t first_ = 0;
};

// The known fields of all dictionaries of a snapshot.
enum class Field : std::uint8_t {
  kAction,
  kAddr,
  kAddress,
  kBlocks,
  kDevice,
  kDeviceTraces,
  kFilename,
  kFrames,
  kHistory,
  kLine,
  kName,
  kRealSize,
  kRequestedSize,
  kSegments,
  kSize,
  kState,
  kStream,
  kTimeUs,
  kTotalSize,
};
inline constexpr std::size_t kFieldCount = 19;

class Fields {
 public:
  PickleValue& operator[](Field field) { return values_[static_cast<std::size_t>(field)]; }
  PickleValue operator[](Field field) const { return values_[static_cast<std::size_t>(field)]; }

 private:
  std::array<PickleValue, kFieldCount> values_;
};

struct PartList {
  struct Kept {
    std::vector<SnapshotBlock> blocks;
    std::vector<SnapshotSegment> segments;
    MemoryTrace events;
    std::vector<MemoryTrace> traces;
  };
  Kept& keep() {
    if (!kept) kept = std::make_unique<Kept>();
    return *kept;
  }

  Part of = Part::kAbsent;     // its members; kOther: several kinds, or of no interest
  std::int64_t best = 0;       // of frames, which most lists are of
  std::unique_ptr<Kept> kept;  // of the others
};

class SnapshotParts {
 public:
  SnapshotParts();

  PickleValue text(std::string_view text);
  void set(Fields& fields, PickleValue key, PickleValue value) {
    if (key.part() == Part::kText && key.number() < std::int64_t{kFieldCount}) {
      fields[static_cast<Field>(key.number())] = value;
    }
  }
  void append(PartList& list, PickleValue value) {
    if (list.of != Part::kFrame || value.part() != Part::kFrame) return append_other(list, value);
    // Of those with the highest rank the first, which is the innermost.
    if ((value.number() & 3) > (list.best & 3)) list.best = value.number();
  }
  PickleValue made_of(const Fields& fields);
  PickleValue made_of(PartList& list);  // which has no members any more
  // The snapshot, if the whole pickle is one.
  std::optional<MemorySnapshot> take(PickleValue whole);

  // Counts memory that the reader keeps, up to 1 GiB.
  void charge(std::size_t bytes) {
    charged_ += bytes;
    if (charged_ > kMostMemory) fail_of_memory();
  }
  // The first mistake, with an empty message if there is none. Check it after each call.
  const Error& mistake() const { return mistake_; }

 private:
  static constexpr std::size_t kMostMemory = std::size_t{1} << 30;
  using FrameFields = std::array<PickleValue, 3>;  // file, function, line
  struct HashOfFrame {
    std::size_t operator()(const FrameFields& fields) const {
      return std::hash<std::string_view>()(
          {reinterpret_cast<const char*>(fields.data()), sizeof fields});
    }
  };

  PickleValue event_of(const Fields& fields);
  PickleValue frame_of(const Fields& fields);
  PickleValue new_frame(const FrameFields& fields);
  PickleValue block_of(const Fields& fields);
  PickleValue segment_of(const Fields& fields);
  PickleValue snapshot_of(const Fields& fields);
  void append_other(PartList& list, PickleValue value);
  std::int64_t number(const Fields& fields, Field field, const char* whole, std::int64_t most,
                      std::optional<std::int64_t> absent);
  std::int64_t size(const Fields& fields, Field field, const char* whole,
                    std::optional<std::int64_t> absent);
  std::string_view text_of(PickleValue value) const;
  void fail_of_memory();
  void fail(std::string why) { fail(ErrorCode::kInvalidArgument, std::move(why)); }
  void fail(ErrorCode code, std::string why);

  Names texts_;  // those of the fields, then of the actions, then of the states, then the file's
  std::unordered_map<FrameFields, PickleValue, HashOfFrame> frames_;
  Waiting<MemoryEvent> events_;
  Waiting<SnapshotBlock> blocks_;
  Waiting<SnapshotSegment> segments_;
  Waiting<MemoryTrace> event_lists_;
  Waiting<std::vector<SnapshotBlock>> block_lists_;
  Waiting<std::vector<SnapshotSegment>> segment_lists_;
  Waiting<std::vector<MemoryTrace>> trace_lists_;
  MemorySnapshot snapshot_;
  std::uint64_t all_bytes_ = 0;  // the sum of all sizes
  std::size_t charged_ = 0;
  Error mistake_;
};

}  // namespace sweepd::trace
