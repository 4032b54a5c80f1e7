// Reads a Chrome trace of a gigabyte and measures the speed and the memory.
//   chrome_trace_bench [MB [FILE]]     the size of the trace; or a trace that exists
#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "runner/base/clock.h"
#include "runner/base/temporary_folder.h"
#include "runner/trace/chrome.h"
#include "tools/bench/bench_output.h"

namespace sweepd {
namespace {

namespace fs = std::filesystem;

double cpu_of_process() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// One operator, its launch and its kernel, as Kineto writes them with `record_shapes`, and a flow.
std::string events_of(std::int64_t i) {
  const std::int64_t ts = 1'712'195'495'000'000 + i * 20;
  return fmt::format(
      R"json(  {{
    "ph": "X", "cat": "cpu_op", "name": "aten::addmm", "pid": 1102, "tid": 1102,
    "ts": {0}.{1:03}, "dur": 14.{1:03},
    "args": {{
      "External id": {2},"Record function id": 0, "Concrete Inputs": ["", "", "", "1", "1"], "Input type": ["float", "float", "float", "Scalar", "Scalar"], "Input Dims": [[4096], [8192, 1024], [1024, 4096], [], []], "Ev Idx": {2}
    }}
  }},
  {{
    "ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1102, "tid": 1102,
    "ts": {0}.{1:03}, "dur": 5.250,
    "args": {{
      "External id": {2}, "cbid": 211, "correlation": {2}
    }}
  }},
  {{
    "ph": "s", "id": {2}, "pid": 1102, "tid": 1102, "ts": {0}.{1:03},
    "cat": "ac2g", "name": "ac2g"
  }},
  {{
    "ph": "X", "cat": "kernel", "name": "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_{3}x128_64x3_tn_align8>(cutlass_80_tensorop_bf16_s16816gemm_relu_bf16::Params)", "pid": 0, "tid": 7,
    "ts": {0}.{1:03}, "dur": 17.125,
    "args": {{
      "External id": {2}, "queued": 0, "device": 0, "context": 1, "stream": 7, "correlation": {2}, "registers per thread": 230, "shared memory": 98304, "blocks per SM": 1.939394, "warps per SM": 7.757576, "grid": [{3}, 2, 1], "block": [128, 1, 1], "est. achieved occupancy %": 12
    }}
  }})json",
      ts, i % 1000, i + 1, 64 + i % 500);
}

void write_trace(const fs::path& file, std::int64_t bytes) {
  std::ofstream out(file, std::ios::binary);
  out << "{\n  \"schemaVersion\": 1,\n  \"traceEvents\": [\n";
  std::int64_t written = 0;
  for (std::int64_t i = 0; written < bytes; ++i) {
    const std::string events = (i == 0 ? "" : ",\n") + events_of(i);
    written += std::ssize(events);
    out << events;
  }
  out << "\n  ]\n}\n";
}

int measure(const fs::path& file) {
  const Instant begin = now_instant();
  const double cpu_begin = cpu_of_process();
  const auto trace = trace::read_chrome_trace(file);
  if (!trace) {
    fmt::print(stderr, "chrome_trace_bench: {}\n", trace.error().message);
    return 1;
  }
  const double seconds = static_cast<double>((now_instant() - begin).ns) * 1e-9;
  const double cpu_seconds = cpu_of_process() - cpu_begin;
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const double megabytes = static_cast<double>(trace->bytes) / 1e6;
  const std::string what = fmt::format("a trace of {:.0f} MB", megabytes);
  const std::string how =
      fmt::format("{} events; MB, not compressed, over wall time", trace->events);
  print(BenchLine{"reading " + what, "MB/s", {megabytes / seconds}, {}, how, 100.0});
  print(BenchLine{"reading " + what + ", CPU time",
                  "MB/s",
                  {megabytes / cpu_seconds},
                  {},
                  "the same over CPU time"});
  print(BenchLine{"memory of " + what,
                  "MB",
                  {static_cast<double>(usage.ru_maxrss) * 1.024e-3},
                  300.0,
                  "largest resident set of the process, with the timeline"});
  return 0;
}

int run(std::int64_t megabytes) {
  const auto folder = TemporaryFolder::make("bench");
  if (!folder) {
    fmt::print(stderr, "chrome_trace_bench: {}\n", folder.error().message);
    return 1;
  }
  const fs::path file = folder->path() / "trace.json";
  write_trace(file, megabytes * 1'000'000);
  return measure(file);
}

}  // namespace
}  // namespace sweepd

int main(int count, char** words) {
  if (count > 2) return sweepd::measure(words[2]);
  return sweepd::run(count > 1 ? std::atoi(words[1]) : 1000);
}
