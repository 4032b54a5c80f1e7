// Reads what libsweepd_inject.so recorded of a process (inject/file_format.h). Every byte may be
// wrong: of a process that was killed, the file ends anywhere, and a stranger's can hold anything.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "runner/base/result.h"
#include "runner/trace/program_steps.h"
#include "runner/trace/timeline.h"

namespace sweepd::trace {

// An allocation of device memory, or its release.
struct DeviceAllocation {
  std::int64_t at_ns = 0;
  std::uint64_t address = 0;
  std::int64_t bytes = 0;
  std::int64_t correlation = kNoCorrelation;
  std::int32_t device = 0;
  bool released = false;
};

// An id that the program gave to CUPTI for the call with this correlation.
struct ExternalId {
  std::int64_t correlation = kNoCorrelation;
  std::uint64_t id = 0;
  std::uint8_t kind = 0;  // CUpti_ExternalCorrelationKind
};

struct Injected {
  Timeline timeline;
  std::vector<DeviceAllocation> allocations;  // of device and managed memory, by time
  std::vector<ExternalId> external;
  ProgramSteps steps;
  // Why CUPTI traced nothing, or not all: the library's text, and a CUptiResult for
  // workloads/cuda/cupti_refusal.h. Empty: it did.
  std::string refusal;
  int refusal_code = 0;
  int pid = 0;
  int write_error = 0;  // errno; the file is a prefix
  bool ended = false;   // by exit(); else the last 100 ms may be missing
};

// Fails only if the file cannot be read, or does not begin as one of libsweepd_inject.so.
Result<Injected> decode_injected(std::string_view bytes);
Result<Injected> read_injected(const std::filesystem::path& file);

}  // namespace sweepd::trace
