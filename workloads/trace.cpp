// Files that other tools recorded, as a workload: their kernels, operators and memory become rows
// like those of a run, so that tables, plots and comparisons work. Runs nothing and needs no
// LibTorch. `sweepctl import` submits a sweep of it.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "runner/base/trace_file.h"
#include "runner/model/attempt/attempt_record.h"
#include "runner/model/measurement/memory_picture.h"
#include "runner/trace/analysis.h"
#include "runner/trace/chrome.h"
#include "runner/trace/nsys.h"
#include "runner/trace/places.h"
#include "runner/trace/profile_rows.h"
#include "runner/trace/snapshot.h"
#include "runner/trace/snapshot_memory.h"
#include "runner/trace/window.h"
#include "workloads/api/self_timed.h"
#include "workloads/api/workload.h"
#include "workloads/command/file_hash.h"
#include "workloads/command/words.h"

namespace sweepd {
namespace {

namespace fs = std::filesystem;
using trace::TraceKind;

constexpr std::string_view kAllSteps = "all";
constexpr trace::Window kAlways{std::numeric_limits<std::int64_t>::min() / 4,
                                std::numeric_limits<std::int64_t>::max() / 4};
// As many as of a memory pass (runner/worker/passes/memory_recorder.h).
constexpr std::size_t kMostBlocks = 5000, kMostPoints = 2000;

template <class T>
T or_throw(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(*result);
}

struct TraceParams {
  std::string files, step = std::string(kAllSteps), code, submitted_from;
  void visit(auto& field) {
    field(
        "files", files,
        "the files of one job: traces of torch.profiler (JSON, also .gz), SQLite exports of nsys, "
        "memory snapshots of torch; of several traces each is a rank; relative to the sweep file",
        form_of(TextForm::kWords), Matters());
    field("step", step,
          "which step of the trace, as the trace numbers it; `all` is the mean of those that it "
          "marks, or without marks the span that was recorded");
    field("code", code, "the content of the files; computed at submission", Computed());
    field("submitted_from", submitted_from,
          "the folder of the sweep file; filled in at submission, and no part of the key",
          Scheduling());
  }
};

std::vector<fs::path> files_of(const TraceParams& params) {
  std::vector<fs::path> files;
  for (const std::string& word : command::split_words(params.files, "files")) {
    files.push_back(fs::path(params.submitted_from) / word);  // an absolute one stays as it is
  }
  if (files.empty()) throw std::runtime_error("files: expected at least one file");
  return files;
}

// The memory pass reads the snapshots, the profile pass the others.
std::vector<fs::path> files_of_pass(const TraceParams& params, Pass pass) {
  std::vector<fs::path> files;
  for (const fs::path& file : files_of(params)) {
    const bool is_snapshot = or_throw(trace::kind_of_trace(file)) == TraceKind::kSnapshot;
    if (is_snapshot == (pass == Pass::kMemory)) files.push_back(file);
  }
  return or_throw(trace::in_order_of_ranks(files));
}

class Trace final : public Workload, public SelfTimed {
 public:
  using Params = TraceParams;
  static constexpr std::string_view kHelp =
      "a trace or memory snapshot that another tool recorded; runs nothing";
  static constexpr auto kPhases = trace::kPhaseNames;
  static constexpr std::string_view kPasses[] = {"profile", "memory"};

  static WorkPerStep work(const Params&, const RunParams&) { return {}; }
  static std::string code(const Params& params, const RunParams&) {
    std::string all;
    for (const fs::path& file : files_of(params)) {
      if (!all.empty()) all += ' ';
      all += fmt::format("{}:{}", file.filename().string(),
                         command::hash_of_file(file, "files: `" + file.string() + "`"));
    }
    return all;
  }

  Trace(const Params& params, Context& context)
      : params_(params), context_(context), files_(files_of_pass(params, context.pass)) {
    const char* kind = context.pass == Pass::kMemory ? "memory snapshot" : "trace";
    if (files_.empty()) throw Unavailable(fmt::format("none of the files is a {}", kind));
  }

  void step(Phases&) override {}
  bool times_itself() const override { return true; }

  void measure(Findings& findings) override {
    if (context_.pass == Pass::kMemory) return measure_memory(findings);
    timeline_ = read_timeline();
    const trace::TraceIndex index(timeline_);
    std::vector<trace::StepWindow> steps = trace::step_windows(timeline_);
    if (params_.step == kAllSteps && !begins_in(windows_of(steps))) steps.clear();
    const std::vector<trace::Window> windows = windows_of(steps);
    // Without steps the rows and launches are of the whole trace, also those before the first work.
    const bool is_span = steps.empty();
    trace::ProfileRows rows = trace::profile_rows(index, is_span ? std::vector{kAlways} : windows);
    trace::TraceUse use = index.analyse(windows);
    if (is_span) use.launches = index.launches_in({kAlways});
    std::vector<Sample> samples = trace::bound_samples(use);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      samples.push_back({0, static_cast<std::int64_t>(i), "step", "traced_step_time",
                         static_cast<double>(steps[i].window.length_ns()) / 1e6});
    }
    findings.profile(std::move(rows.kernels), std::move(rows.operators), std::move(samples));
    findings.recorded_on(device_of(use));
    remember(use, steps.size());
  }

  void facts(Facts& facts) override {
    for (const auto& [name, value] : numbers_) facts.number(name, value);
    for (const auto& [name, value] : texts_) facts.text(name, value);
  }

 private:
  const fs::path& own_file() const {
    const auto rank = static_cast<std::size_t>(context_.rank);
    if (files_.size() != static_cast<std::size_t>(context_.world_size)) {
      throw std::runtime_error(fmt::format(
          "world_size is {}, but `files` has {} for this pass: expected one for each rank",
          context_.world_size, files_.size()));
    }
    return files_[rank];
  }

  trace::Timeline read_timeline() {
    // A report of nsys has all processes of its job.
    if (files_.size() == 1 && or_throw(trace::kind_of_trace(files_[0])) == TraceKind::kNsys) {
      std::vector<trace::Timeline> all = or_throw(trace::read_nsys(files_[0]));
      const auto rank = static_cast<std::size_t>(context_.rank);
      if (all.size() != static_cast<std::size_t>(context_.world_size)) {
        throw std::runtime_error(
            fmt::format("{}: has {} processes with work of a device; set world_size to that number",
                        files_[0].string(), all.size()));
      }
      return std::move(all[rank]);
    }
    const fs::path& file = own_file();
    if (or_throw(trace::kind_of_trace(file)) == TraceKind::kNsys) {
      std::vector<trace::Timeline> all = or_throw(trace::read_nsys(file));
      if (all.size() == 1) return std::move(all[0]);
      throw std::runtime_error(
          fmt::format("{}: has {} processes; expected one in each of several files", file.string(),
                      all.size()));
    }
    trace::ChromeTrace read = or_throw(trace::read_chrome_trace(file));
    if (read.unusable > 0) {
      read.timeline.dropped += read.unusable;
      numbers_.emplace_back("trace.unusable_events", static_cast<double>(read.unusable));
      texts_.emplace_back("trace.first_unusable_event", read.first_unusable);
    }
    return std::move(read.timeline);
  }

  std::vector<trace::Window> windows_of(const std::vector<trace::StepWindow>& steps) const {
    if (params_.step == kAllSteps) {
      if (steps.empty()) return {span_of_devices()};
      std::vector<trace::Window> windows;
      for (const trace::StepWindow& step : steps) windows.push_back(step.window);
      return windows;
    }
    std::int64_t number = -1;
    const char* end = params_.step.data() + params_.step.size();
    const auto read = std::from_chars(params_.step.data(), end, number);
    if (read.ec != std::errc() || read.ptr != end) {
      throw std::runtime_error(
          fmt::format("step: `{}` is no number; expected one of a step, or `all`", params_.step));
    }
    const auto found = std::ranges::find(steps, number, &trace::StepWindow::number);
    if (found != steps.end()) return {found->window};
    std::string has = "has no steps";
    if (steps.size() == 1) has = fmt::format("has step {} alone", steps.front().number);
    if (steps.size() > 1) {
      has = fmt::format("has steps {} to {}", steps.front().number, steps.back().number);
    }
    throw std::runtime_error(fmt::format("step: no step {}; the trace {}", number, has));
  }

  // Whether the rows of a profile have anything of these windows.
  bool begins_in(const std::vector<trace::Window>& windows) const {
    const auto begins = [&](const auto& record) {
      return trace::any_contains(windows, record.begin_ns);
    };
    return timeline_.work.empty() ? std::ranges::any_of(timeline_.operators, begins)
                                  : std::ranges::any_of(timeline_.work, begins);
  }

  // From the first to the last work of any device, as other tools count it: around that, a trace
  // has the start and stop of its profiler.
  trace::Window span_of_devices() const {
    const std::vector<std::int32_t> devices = trace::devices_with_work(timeline_);
    if (devices.empty()) return trace::whole_window(timeline_);
    trace::Window all = trace::device_window(timeline_, devices.front());
    for (const std::int32_t device : devices) {
      const trace::Window one = trace::device_window(timeline_, device);
      all = {std::min(all.begin_ns, one.begin_ns), std::max(all.end_ns, one.end_ns)};
    }
    return all;
  }

  void measure_memory(Findings& findings) {
    const fs::path& file = own_file();
    const trace::MemorySnapshot snapshot = or_throw(trace::read_snapshot(file));
    const std::vector<std::int32_t> devices = trace::devices_of(snapshot);
    if (devices.empty()) throw std::runtime_error(file.string() + ": has no memory of a device");
    const std::int32_t device = devices.front();
    findings.memory(trace::phase_memory_of(snapshot, device));
    ObservedMemory blocks;
    blocks.allocations = trace::allocations_of(snapshot, device, kMostBlocks);
    blocks.timeline = trace::timeline_of(snapshot, device, kMostPoints);
    findings.memory(std::move(blocks));
    DeviceInfo recorded;  // a snapshot does not name it
    recorded.kind = "cuda";
    recorded.index = device;
    recorded.name = "unknown device of a snapshot";
    findings.recorded_on(std::move(recorded));
    texts_.emplace_back("trace.file", file.filename().string());
    texts_.emplace_back(kRecordedFact, "torch");
    numbers_.emplace_back("trace.devices", static_cast<double>(devices.size()));
    const trace::Fragmentation fragmentation = trace::fragmentation_of(snapshot, device);
    for (const auto& [name, bytes] :
         {std::pair{"snapshot.reserved_bytes", fragmentation.reserved},
          {"snapshot.allocated_bytes", fragmentation.allocated},
          {"snapshot.free_bytes", fragmentation.free},
          {"snapshot.unreleasable_bytes", fragmentation.unreleasable},
          {"snapshot.largest_free_bytes", fragmentation.largest_free}}) {
      numbers_.emplace_back(name, static_cast<double>(bytes.value));
    }
    numbers_.emplace_back("snapshot.fragmentation", fragmentation.index());
    numbers_.emplace_back(kTimedFact, trace::has_times(snapshot, device) ? 1 : 0);
  }

  void remember(const trace::TraceUse& use, std::size_t steps) {
    const std::size_t own = files_.size() == 1 ? 0 : static_cast<std::size_t>(context_.rank);
    texts_.emplace_back("trace.file", files_[own].filename().string());
    texts_.emplace_back(kRecordedFact, timeline_.source);
    numbers_.emplace_back("trace.steps", static_cast<double>(steps));
    if (timeline_.world_size > 1) {
      numbers_.emplace_back("trace.rank", timeline_.rank);
      numbers_.emplace_back("trace.world_size", timeline_.world_size);
    }
    // What the rows of kernels and operators add up.
    const auto added_up = static_cast<double>(use.windows.size());
    numbers_.emplace_back("profile.steps", added_up);
    if (params_.step == kAllSteps && steps > 0) {
      numbers_.emplace_back("trace.outside_steps_ms", outside_ms(use.windows));
    }
    numbers_.emplace_back("trace.devices", static_cast<double>(use.devices.size()));
    numbers_.emplace_back("profile.step_ms", use.length_ns() / 1e6 / added_up);
    numbers_.emplace_back("profile.dropped_records", static_cast<double>(timeline_.dropped));
    if (use.devices.empty()) return;
    for (const trace::GapDecade& decade : use.devices[0].gaps) {
      if (decade.gaps == 0) continue;
      const std::string name = fmt::format("gaps.from_{}ns", decade.from_ns);
      numbers_.emplace_back(name, static_cast<double>(decade.gaps));
      numbers_.emplace_back(name + "_ms", static_cast<double>(decade.total_ns) / 1e6);
    }
  }

  // The time of work that begins in none of the windows, which nothing else counts.
  double outside_ms(const std::vector<trace::Window>& windows) const {
    double ms = 0;
    for (const trace::DeviceWork& work : timeline_.work) {
      if (trace::any_contains(windows, work.begin_ns)) continue;
      ms += static_cast<double>(work.end_ns - work.begin_ns) / 1e6;
    }
    return ms;
  }

  // The first device with work; of a trace without any, a CPU that it does not name.
  DeviceInfo device_of(const trace::TraceUse& use) const {
    DeviceInfo device;
    device.kind = use.devices.empty() ? "cpu" : "cuda";
    device.name = "unknown device of a trace";
    for (const trace::TracedDevice& traced : timeline_.devices) {
      if (use.devices.empty() || traced.index != use.devices[0].device) continue;
      if (!traced.name.empty()) device.name = traced.name;
      device.index = traced.index;
      device.memory = traced.memory;
      if (traced.multiprocessors > 0) device.multiprocessors = traced.multiprocessors;
      if (traced.capability_major > 0) {
        device.compute_capability =
            fmt::format("{}.{}", traced.capability_major, traced.capability_minor);
      }
    }
    return device;
  }

  const TraceParams params_;
  Context& context_;
  const std::vector<fs::path> files_;  // of this pass, by rank
  trace::Timeline timeline_;
  std::vector<std::pair<std::string, double>> numbers_;
  std::vector<std::pair<std::string, std::string>> texts_;
};

REGISTER_WORKLOAD("trace", Trace);

}  // namespace
}  // namespace sweepd
