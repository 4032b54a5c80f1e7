// The profile pass's view of a step: every operator on the host and, on a GPU, every kernel that it
// launched. Includes no torch header. Never runs in a timing or memory pass.
//
//   auto profiler = make_profiler(device);   // throws Unavailable if there is nothing to observe
//   profiler->start();
//   ... profiler->enter("forward") ... a step; device.synchronize();
//   Recording recording = profiler->take();  // since start, or since the last take
//   profiler->stop();
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "workloads/api/device.h"

namespace sweepd {

inline constexpr std::int64_t kNoParent = -1;
inline constexpr std::int64_t kNoSpan = -1;

// Times are those of the steady clock.
struct OperatorRecord {
  std::string name;
  std::string phase;  // "" outside every phase
  std::string range;  // "" outside every range; a node of the backward has its forward's
  std::int64_t parent = kNoParent;  // index in the recording: the operator that called it
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  int thread = 0;  // 0 is the thread that runs the workload
  // Index in the recording's ranges: which pass through `range`. A node has its forward's.
  std::int64_t span = kNoSpan;
};

// The call that launched work.
struct LaunchRecord {
  std::uint64_t id = 0;  // equal for all work of one launch, as of a CUDA graph; 0: unknown
  bool of_graph = false;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

struct KernelRecord {
  std::string name;  // demangled; copies and fills are "[CUDA memcpy DtoD]", "[CUDA memset]"
  std::int64_t launcher = kNoParent;  // index of the operator that launched it
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::uint64_t stream = 0;
  std::array<std::int64_t, 3> grid{}, block{};
  int device = 0;                 // index within the process
  std::int64_t registers = 0;     // of a thread; 0: unknown
  std::int64_t shared_bytes = 0;  // static and dynamic, of a block
  LaunchRecord launch = {};
};

// A phase or a range with its times, for the trace.
struct SpanRecord {
  std::string name;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

struct Recording {
  std::vector<OperatorRecord> operators;   // a caller comes before the operators that it calls
  std::vector<KernelRecord> kernels;       // empty on a CPU
  std::vector<SpanRecord> phases, ranges;  // ordered by begin
  std::uint64_t dropped = 0;               // lost records; a good recording has 0
  std::int64_t begin_ns = 0;               // of the step; 0: that of its first record
};

class Profiler {
 public:
  virtual ~Profiler() = default;
  virtual void start() = 0;
  virtual void enter(std::string_view phase) = 0;  // "" ends the phase
  virtual Recording take() = 0;                    // device idle, outside every operator
  virtual void stop() = 0;
};

// The device must outlive the profiler. Call from the thread that runs the workload; one at a time.
std::unique_ptr<Profiler> make_profiler(Device& device);

// Counts the profilers ever started in this process. A test checks that the timing pass starts
// none.
int profilers_started();

// The device's part: its kernels, and the id that the host had pushed when it launched each.
struct TracedKernel {
  KernelRecord kernel;   // without its launcher
  std::uint64_t id = 0;  // innermost id pushed on the launching thread; 0: none
};
struct KernelTrace {
  std::vector<TracedKernel> kernels;
  std::uint64_t dropped = 0;
};
class KernelTracer {
 public:
  virtual ~KernelTracer() = default;
  virtual void start() = 0;
  virtual void push(std::uint64_t id) = 0;  // on any thread; ids are not 0
  virtual void pop() = 0;
  virtual KernelTrace take() = 0;  // after a synchronise
  virtual void stop() = 0;
};

}  // namespace sweepd
