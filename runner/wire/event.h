// `events.<rank>.ndjson`: a rank's report on its attempt, one JSON object per line, in order. The
// file is the journal: the daemon can read it again from the start at any time and store the same
// result. A line without its newline does not count yet (the rank is writing it, or died). Its
// limits are in wire/journal.h.
//
//   {"event":"started","pid":4242,"wall_ns":...}
//   {"event":"work","arithmetic":"fp32","tokens":1024,"ruler":"arithmetic",  "memory", or left out
//    "phases":[{"phase":"forward","flops":..,"bytes":..}],
//    "figures":[{"name":"parameters","value":128625408,"formula":"..."}]}
//   {"event":"environment","host":{..},"devices":[{"kind":"cpu","index":0,..}],"threads":4,..}
//                                   unknown values are omitted; the one device is the rank's own
//   {"event":"state","moment":"before","other_processes":0,"load_average":0.3,..}   and "after"
//   {"event":"step","step":3,"warmup":false,
//    "samples":[["forward","time",1.25],["step","host_time",4.0]]}
//   {"event":"memory","phase":"forward","at_start":0,"at_end":..,"peak_allocated":..,
//    "peak_reserved":..,"device_in_use":..}                                          bytes
//   {"event":"memory_held","tensors":[["weights","block0.wq",16384],..]}
//   {"event":"allocations","blocks":[[sequence,size,allocated_ns,freed_ns or null,phase,range,
//    origin],..]}
//   {"event":"memory_timeline","points":[[sequence,time_ns,action,address,size,allocated,reserved,
//    phase],..]}
//   {"event":"kernel","phase":"forward","range":"ffn","name":"aten::mm","grid":[0,0,0],
//    "block":[0,0,0],"calls":6,"total_ns":..,"mean_ns":..,..}
//   {"event":"operator","phase":"forward","range":"ffn","name":"aten::linear","calls":6,
//    "self_cpu_ns":..,..}
//   {"event":"fact","name":"loss.0","text":"..."} or {..,"number":..}
//   {"event":"end","outcome":"done","stop_reason":"fixed_steps","wall_ns":..,"lines":..,"steps":..}
//                                   the number of lines before it, and of steps among them
//   {"event":"end","outcome":"oom","requested":..,"in_use":..,"limit":..,"phase":"forward",..}
//   {"event":"end","outcome":"failed",..,"device_fault":"uncorrectable ECC error"}
//                                   the rank's GPU is at fault (model/machine/device_fault.h)
//
// The records' own descriptions (runner/model: memory.h, kernel.h, environment.h, sample.h) name
// their fields. A number that is not finite is written as "nan", "inf" or "-inf": a diverged loss
// is a result.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "runner/base/clock.h"
#include "runner/base/fields.h"
#include "runner/base/result.h"
#include "runner/model/machine/environment.h"
#include "runner/model/measurement/sample.h"
#include "runner/model/measurement/work.h"
#include "runner/model/vocabulary/kernel.h"
#include "runner/model/vocabulary/memory.h"
#include "runner/model/vocabulary/outcome.h"

namespace sweepd {

// An event that is one record, or many rows of one kind; their rank is the file's.
template <class Record>
struct RecordEvent {
  Record record;
  static void visit(auto& self, auto&& field) { Record::visit(self.record, field); }
};
template <class Record>
inline constexpr const char* kRowsMember = "";
template <>
inline constexpr const char* kRowsMember<HeldMemory> = "tensors";
template <>
inline constexpr const char* kRowsMember<Allocation> = "blocks";
template <>
inline constexpr const char* kRowsMember<MemoryPoint> = "points";
template <class Record>
struct RowsEvent {
  std::vector<Record> rows;
  static void visit(auto& self, auto&& field) {
    field(kRowsMember<Record>, self.rows, "", AsRows());
  }
};

struct StartedEvent {
  std::int64_t pid = 0;
  WallTime time;
  static void visit(auto& self, auto&& field) {
    field("pid", self.pid, "");
    field("wall_ns", self.time, "");
  }
};
struct WorkEvent {
  WorkPerStep work;
  static void visit(auto& self, auto&& field) { WorkPerStep::visit(self.work, field); }
};
// Each rank sends one before the set-up, with its device, and one when the measured steps begin,
// without: a workload sets switches such as TF32, and the values at that time count.
struct EnvironmentEvent {
  Environment environment;  // `states` empty
  static void visit(auto& self, auto&& field) {
    field("host", self.environment.host, "");
    field("devices", self.environment.devices, "");
    Environment::visit(self.environment, field);
  }
};
struct StepEvent {
  std::int64_t step = 0;
  bool warmup = false;
  std::vector<Sample> samples;  // their rank, step and warmup are the event's and the file's
  static void visit(auto& self, auto&& field) {
    field("step", self.step, "");
    field("warmup", self.warmup, "");
    field("samples", self.samples, "", AsRows());
  }
};
using StateEvent = RecordEvent<DeviceState>;
using MemoryEvent = RecordEvent<PhaseMemory>;
using KernelEvent = RecordEvent<KernelStats>;
using OperatorEvent = RecordEvent<OperatorStats>;
using HeldMemoryEvent = RowsEvent<HeldMemory>;
using AllocationsEvent = RowsEvent<Allocation>;
using MemoryTimelineEvent = RowsEvent<MemoryPoint>;
struct FactEvent {
  std::string name;
  std::optional<double> number;
  std::string text;
  static void visit(auto& self, auto&& field) {
    field("name", self.name, "");
    field("number", self.number, "");
    if (!self.number) field("text", self.text, "");
  }
};
struct EndEvent {
  Ending ending;
  WallTime time;
  // The counts of its writer before this line. Older workers do not report it.
  std::optional<std::int64_t> lines = {}, steps = {};
  std::string device_fault = {};  // DeviceFault::what; "": none
  static void visit(auto& self, auto&& field) {
    Ending::visit(self.ending, field);
    field("wall_ns", self.time, "");
    field("lines", self.lines, "");
    field("steps", self.steps, "");
    field("device_fault", self.device_fault, "", Sparse());
  }
};

using Event = std::variant<StartedEvent, WorkEvent, EnvironmentEvent, StateEvent, StepEvent,
                           MemoryEvent, FactEvent, EndEvent, HeldMemoryEvent, AllocationsEvent,
                           MemoryTimelineEvent, KernelEvent, OperatorEvent>;

std::string event_to_line(const Event& event);  // without the newline
// `rank` is the file's, and is set on every value inside.
Result<Event> event_from_line(std::string_view line, int rank);

// No line of a journal is longer, in bytes: its writer refuses it.
inline constexpr std::size_t kLongestJournalLine = 1 << 20;

// Reads whole lines as they arrive. It keeps an incomplete line until its newline arrives, and
// never more of one than kLongestJournalLine. Its work is proportional to its input.
class EventReader {
 public:
  explicit EventReader(int rank) : rank_(rank) {}
  // Appends the events of complete lines in `bytes`. A broken line is an error that names its
  // number; the next call still reads the following lines (call `feed("", out)` if nothing
  // arrived). So is one that is too long, as kResourceExhausted; all of it is skipped.
  Result<void> feed(std::string_view bytes, std::vector<Event>& out);

  // For tests: bytes that are kept, and bytes that were searched for the ends of lines.
  std::size_t kept() const { return text_.size() - begin_; }
  std::int64_t searched() const { return searched_; }

 private:
  Result<void> take(std::string_view line, std::vector<Event>& out);
  Error mistake(ErrorCode code, const std::string& what) const;
  Error too_long() const;

  int rank_;
  std::int64_t line_number_ = 0;
  std::string text_;             // from `begin_` on it was not read yet
  std::size_t begin_ = 0;        // of a line
  std::size_t searched_to_ = 0;  // there is no newline between `begin_` and here
  bool skips_ = false;           // the rest of a line that was too long
  std::int64_t searched_ = 0;
};

}  // namespace sweepd
