// The record of an ended attempt: built from its journals (runner/daemon/attempts/ingest.h),
// judged, stored.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/base/clock.h"
#include "runner/base/fields.h"
#include "runner/model/attempt/verdict.h"
#include "runner/model/machine/device_fault.h"
#include "runner/model/machine/environment.h"
#include "runner/model/measurement/sample.h"
#include "runner/model/measurement/work.h"
#include "runner/model/vocabulary/kernel.h"
#include "runner/model/vocabulary/memory.h"
#include "runner/model/vocabulary/outcome.h"

namespace sweepd {

// A workload's statement about an attempt beside its times: a number or a text.
struct Fact {
  static constexpr std::string_view kTable = "fact";
  int rank = 0;
  std::string name;
  std::optional<double> number;
  std::string text;
  std::int64_t position = 0;  // set where it is stored

  static void visit(auto& self, auto&& field) {
    field("rank", self.rank, "", Implied());
    field("name", self.name, "", Interned(), Heading{"fact"});
    field("number", self.number, "NULL: a text");
    field("text", self.text, "");
    field("position", self.position, "in the order of the workload; 0 in old results", Implied());
  }
};

// A program, or the reader of its output, warns about its figures by the fact `warning.NAME`.
inline constexpr std::string_view kWarningFact = "warning.";
// Names the tool that recorded the figures, at another time and perhaps elsewhere: what this
// machine did meanwhile does not matter.
inline constexpr std::string_view kRecordedFact = "recorded.by";

struct AttemptRecord {
  std::int64_t row = 0;
  Ending ending;
  WallTime ended;
  std::optional<WallTime> started;  // of one that was never marked started
  std::optional<WorkPerStep> work;
  std::optional<Environment> environment;
  std::vector<DeviceState> states;
  std::vector<Sample> samples;
  std::vector<Summary> summaries;
  std::vector<PhaseMemory> memory;
  std::vector<HeldMemory> held_memory;
  std::vector<Allocation> allocations;
  std::vector<MemoryPoint> timeline;
  std::vector<KernelStats> kernels;
  std::vector<OperatorStats> operators;
  std::vector<Fact> facts;
  std::vector<DeviceFault> device_faults;  // not stored with the attempt but with the device
  Judgement judgement;
};

}  // namespace sweepd
