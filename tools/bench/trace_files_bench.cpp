// Reads a Chrome trace and a memory snapshot of a gigabyte each: the speed and the memory.
//   trace_files_bench [MB [FILE]]     the size of each; or a file that exists
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>

#include "runner/base/clock.h"
#include "runner/base/temporary_folder.h"
#include "runner/base/trace_file.h"
#include "runner/trace/chrome.h"
#include "runner/trace/snapshot.h"
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

// Writes what Python's pickler does of a memory snapshot with a history of one device: keys,
// actions and frames stand once, and every entry has a list of frames.
class SnapshotWriter {
 public:
  explicit SnapshotWriter(const fs::path& file) : out_(file, std::ios::binary) {}

  void write(std::int64_t bytes) {
    out_ << "\x80\x04}";
    memoize();
    out_ << '(';
    text("segments");
    out_ << ']';
    memoize();
    text("device_traces");
    out_ << ']';
    memoize();
    out_ << ']';
    memoize();
    for (std::int64_t i = 0; out_.tellp() < bytes; i += kBatch) {
      out_ << '(';
      for (std::int64_t j = i; j < i + kBatch; ++j) entry(j);
      out_ << 'e';
    }
    out_ << "au.";
  }

 private:
  static constexpr std::int64_t kBatch = 1000;
  static constexpr std::int64_t kFrames = 2000;

  void integer(std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) out_.put(static_cast<char>(value >> (8 * i)));
  }
  void number(std::int64_t value) {
    out_ << "\x8a\x08";
    integer(static_cast<std::uint64_t>(value), 8);
  }
  std::uint64_t memoize() {
    out_ << '\x94';
    return memo_++;
  }
  void fetch(std::uint64_t index) {
    out_ << (index < 256 ? 'h' : 'j');
    integer(index, index < 256 ? 1 : 4);
  }
  void new_text(std::string_view text) { out_ << '\x8c' << static_cast<char>(text.size()) << text; }
  void text(const std::string& text) {
    if (const auto known = texts_.find(text); known != texts_.end()) return fetch(known->second);
    new_text(text);
    texts_[text] = memoize();
  }

  void frame(std::int64_t i) {
    if (const auto known = frames_.find(i); known != frames_.end()) return fetch(known->second);
    out_ << '}';
    frames_[i] = memoize();
    out_ << '(';
    text("name");
    text(fmt::format("forward_{}", i % 300));
    text("filename");
    text(fmt::format("/venv/lib/python3.11/site-packages/torch/nn/modules/{}.py", i % 80));
    text("line");
    number(i);
    out_ << 'u';
  }

  void entry(std::int64_t i) {
    out_ << '}';
    memoize();
    out_ << '(';
    text("action");
    text(i % 3 == 0 ? "alloc" : i % 3 == 1 ? "free_requested" : "free_completed");
    text("addr");
    number(0x7f0000000000 + i / 3 % 5000 * 4096);
    text("size");
    number(4096);
    text("stream");
    number(0);
    text("time_us");
    number(1'700'000'000'000'000 + i);
    text("compile_context");
    new_text("N/A");
    memoize();
    text("frames");
    out_ << ']';
    memoize();
    out_ << '(';
    for (std::int64_t depth = 0; depth < 25; ++depth) frame((i % 100 * 31 + depth * 7) % kFrames);
    out_ << "eu";
  }

  std::ofstream out_;
  std::map<std::string, std::uint64_t> texts_;
  std::map<std::int64_t, std::uint64_t> frames_;
  std::uint64_t memo_ = 0;
};

struct Contents {
  std::int64_t bytes = 0;
  std::string what;  // "1000 events"
};

Result<Contents> read(const fs::path& file) {
  const auto kind = trace::kind_of_trace(file);
  if (!kind) return kind.error();
  if (*kind == trace::TraceKind::kSnapshot) {
    const auto snapshot = trace::read_snapshot(file);
    if (!snapshot) return snapshot.error();
    std::size_t entries = 0;
    for (const auto& trace : snapshot->traces) entries += trace.size();
    return Contents{static_cast<std::int64_t>(fs::file_size(file)),
                    fmt::format("{} entries", entries)};
  }
  const auto trace = trace::read_chrome_trace(file);
  if (!trace) return trace.error();
  return Contents{trace->bytes, fmt::format("{} events", trace->events)};
}

int measure(const fs::path& file, std::string_view name) {
  const Instant begin = now_instant();
  const double cpu_begin = cpu_of_process();
  const auto contents = read(file);
  if (!contents) {
    fmt::print(stderr, "trace_files_bench: {}\n", contents.error().message);
    return 1;
  }
  const double seconds = static_cast<double>((now_instant() - begin).ns) * 1e-9;
  const double cpu_seconds = cpu_of_process() - cpu_begin;
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const double megabytes = static_cast<double>(contents->bytes) / 1e6;
  const std::string what = fmt::format("{} of {:.0f} MB", name, megabytes);
  const std::string how = fmt::format("{}; MB, not compressed, over wall time", contents->what);
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
                  "largest resident set of the process, with what was read"});
  return 0;
}

// In a process of its own, whose largest resident set is the file's.
int measure_alone(const fs::path& file, std::string_view name) {
  const pid_t child = ::fork();
  if (child == 0) {
    const int code = measure(file, name);
    std::fflush(stdout);
    ::_exit(code);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  fs::remove(file);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int run(std::int64_t megabytes) {
  const auto folder = TemporaryFolder::make("bench");
  if (!folder) {
    fmt::print(stderr, "trace_files_bench: {}\n", folder.error().message);
    return 1;
  }
  const fs::path trace = folder->path() / "trace.json", snapshot = folder->path() / "s.pickle";
  write_trace(trace, megabytes * 1'000'000);
  if (const int code = measure_alone(trace, "a Chrome trace"); code != 0) return code;
  SnapshotWriter(snapshot).write(megabytes * 1'000'000);
  return measure_alone(snapshot, "a memory snapshot");
}

}  // namespace
}  // namespace sweepd

int main(int count, char** words) {
  if (count > 2) return sweepd::measure(words[2], "the file");
  return sweepd::run(count > 1 ? std::atoi(words[1]) : 1000);
}
