#include "runner/worker/passes/chrome_trace.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <limits>
#include <map>
#include <ostream>
#include <set>
#include <string>

#include "runner/model/vocabulary/kernel_class.h"
#include "runner/wire/json_values.h"

namespace sweepd {
namespace {

constexpr int kStreamBase = 1000;  // numbers of streams begin above those of threads

std::string quoted(const std::string& text) {
  return to_json_line(nlohmann::json(text));
}

class TraceWriter {
 public:
  TraceWriter(std::ostream& out, int rank, std::int64_t origin_ns)
      : out_(out), rank_(rank), origin_ns_(origin_ns) {
    fmt::print(out_, R"({{"displayTimeUnit":"ms","traceEvents":[)");
    fmt::print(
        out_, "\n{}",
        fmt::format(R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":"rank {}"}}}})",
                    rank_, rank_));
  }
  void finish() { fmt::print(out_, "\n]}}\n"); }

  void name_track(int track, const std::string& name) {
    fmt::print(
        out_, ",\n{}",
        fmt::format(R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":{}}}}})",
                    rank_, track, quoted(name)));
  }

  // `arguments` is the inside of a JSON object.
  void complete(const char* category, const std::string& name, int track, const auto& record,
                const std::string& arguments) {
    fmt::print(
        out_, ",\n{}",
        fmt::format(R"({{"ph":"X","cat":"{}","name":{},"pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f},)"
                    R"("args":{{{}}}}})",
                    category, quoted(name), rank_, track, at_us(record.begin_ns),
                    static_cast<double>(record.end_ns - record.begin_ns) / 1e3, arguments));
  }

  void arrow(std::size_t id, int from_track, std::int64_t from_ns, int to_track,
             std::int64_t to_ns) {
    const auto end = [&](const char* kind, const char* binding, int track, std::int64_t ns) {
      fmt::print(out_, ",\n{}",
                 fmt::format(R"({{"ph":"{}","cat":"launch","name":"launch","id":{},{}"pid":{},)"
                             R"("tid":{},"ts":{:.3f}}})",
                             kind, id, binding, rank_, track, at_us(ns)));
    };
    end("s", "", from_track, from_ns);
    end("f", R"("bp":"e",)", to_track, to_ns);
  }

 private:
  double at_us(std::int64_t ns) const { return static_cast<double>(ns - origin_ns_) / 1e3; }

  std::ostream& out_;
  int rank_;
  std::int64_t origin_ns_;  // times are relative to it: a double keeps nanoseconds of a day only
};

std::int64_t first_ns(const Recording& recording) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  const auto look = [&](const auto& records) {
    for (const auto& record : records) first = std::min(first, record.begin_ns);
  };
  look(recording.phases);
  look(recording.ranges);
  look(recording.operators);
  look(recording.kernels);
  return first == std::numeric_limits<std::int64_t>::max() ? 0 : first;
}

void write_kernels(TraceWriter& writer, const Recording& recording) {
  std::map<std::uint64_t, int> tracks;
  for (std::size_t i = 0; i < recording.kernels.size(); ++i) {
    const KernelRecord& kernel = recording.kernels[i];
    const auto [track, added] =
        tracks.try_emplace(kernel.stream, kStreamBase + static_cast<int>(tracks.size()));
    if (added) writer.name_track(track->second, fmt::format("stream {}", kernel.stream));
    std::string arguments =
        fmt::format(R"("kernel":{},"grid":[{}],"block":[{}])", quoted(kernel.name),
                    fmt::join(kernel.grid, ","), fmt::join(kernel.block, ","));
    const OperatorRecord* op = nullptr;
    if (kernel.launcher != kNoParent) {
      op = &recording.operators[static_cast<std::size_t>(kernel.launcher)];
      arguments += fmt::format(R"(,"operator":{},"phase":{},"range":{})", quoted(op->name),
                               quoted(op->phase), quoted(op->range));
    }
    writer.complete("kernel", short_kernel_name(kernel.name), track->second, kernel, arguments);
    if (op != nullptr) {
      writer.arrow(i, op->thread, op->begin_ns, track->second, kernel.begin_ns);
    }
  }
}

}  // namespace

void write_chrome_trace(std::ostream& out, const Recording& recording, int rank) {
  TraceWriter writer(out, rank, first_ns(recording));
  writer.name_track(0, "host");
  for (const SpanRecord& phase : recording.phases)
    writer.complete("phase", phase.name, 0, phase, "");
  for (const SpanRecord& range : recording.ranges)
    writer.complete("range", range.name, 0, range, "");
  std::set<int> threads{0};
  for (const OperatorRecord& op : recording.operators) {
    if (threads.insert(op.thread).second) {
      writer.name_track(op.thread, fmt::format("host thread {}", op.thread));
    }
    writer.complete("operator", op.name, op.thread, op,
                    fmt::format(R"("phase":{},"range":{})", quoted(op.phase), quoted(op.range)));
  }
  write_kernels(writer, recording);
  writer.finish();
}

}  // namespace sweepd
