// An event of a Chrome trace as it is read, before it becomes a record of a timeline.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runner/base/fields.h"

namespace sweepd::trace {

enum class EventCategory : std::uint8_t {
  kSkipped,
  kKernel,
  kCopy,
  kFill,
  kCall,
  kOverhead,
  kOperator,
  kRange,
};

// The members of events, of their `args`, of deviceProperties and of distributedInfo that are read.
enum class ChromeField : std::uint8_t {
  kOther,
  kPhase,
  kCategory,
  kName,
  kTimestamp,
  kDuration,
  kProcess,
  kThread,
  kArguments,
  kDevice,
  kStream,
  kCorrelation,
  kBytes,
  kSequence,
  kRegisters,
  kShared,
  kGrid,
  kBlock,
  kGraph,
  kInputDims,
  kInputTypes,
  kInputValues,
  kId,
  kMemory,
  kMultiprocessors,
  kMajor,
  kMinor,
  kWarp,
  kRank,
  kWorldSize,
};

EventCategory category_of(std::string_view text);
ChromeField event_field(std::string_view key);
ChromeField argument_field(std::string_view key);
ChromeField device_field(std::string_view key);
ChromeField distributed_field(std::string_view key);

inline constexpr std::size_t kLongestName = 16 << 10;  // bytes

// The inputs of an operator as texts: each input is a `;` and its dimensions, each behind a `,`;
// its type; its value.
struct InputTexts {
  std::string dims, types, values;
  bool lost = false;  // too long, or not in the form of a tensor's

  void clear();
  // The lists are kInputDims, kInputTypes and kInputValues. `level` is 0 in the list itself.
  void begin_list(ChromeField list, int level);
  void add(ChromeField list, int level, std::string_view text);

 private:
  void append(std::string& texts, char separator, std::string_view text);
};

struct ChromeEvent {
  std::string phase, name, timestamp, duration;  // times as written; "": missing
  bool has_name = false;
  EventCategory category = EventCategory::kSkipped;
  std::int64_t process = -1, thread = 0;
  std::int64_t device = -1, stream = 0;  // -1: missing
  bool has_stream = false;
  std::int64_t correlation = 0, bytes = 0, sequence = -1, graph = 0;
  std::int64_t registers = 0, shared_bytes = 0;
  Shape3 grid{}, block{};
  InputTexts inputs;

  // As a new one. Its texts keep their memory.
  void clear();
  // `text` is a number or a text; what is neither of what is expected is as if missing.
  void set(ChromeField field, std::string_view text);
};

// A whole number; also one above the largest signed one, which becomes negative as in Kineto. 0 for
// anything else.
std::int64_t whole_number(std::string_view text);

}  // namespace sweepd::trace
