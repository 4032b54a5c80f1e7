#include "workloads/command/torch_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runner/base/nesting.h"

namespace sweepd::command {
namespace {

using TraceJson = nlohmann::json;

constexpr std::string_view kOwn = "sweepd.";
// What torch itself annotates, or wraps a node of the backward in.
constexpr std::string_view kTorchAnnotations[] = {"ProfilerStep#", "Optimizer.", "PyTorch Profiler",
                                                  "## Call"};
constexpr std::string_view kNodeWrapper = "autograd::engine::evaluate_function: ";

struct TraceEvent {
  std::string name, category, thread;
  std::int64_t begin_ns = 0, end_ns = 0;
  std::int64_t external = 0, correlation = 0, sequence = -1, forward_thread = 0, stream = 0;
  std::int64_t device = 0, registers = 0, shared_bytes = 0, graph = 0;
  std::array<std::int64_t, 3> grid{}, block{};
};

std::int64_t number_member(const TraceJson& arguments, const char* name, std::int64_t otherwise) {
  const auto found = arguments.find(name);
  return found != arguments.end() && found->is_number() ? found->get<std::int64_t>() : otherwise;
}

std::string text_member(const TraceJson& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

std::array<std::int64_t, 3> shape_member(const TraceJson& arguments, const char* name) {
  std::array<std::int64_t, 3> shape{};
  const auto found = arguments.find(name);
  if (found == arguments.end() || !found->is_array()) return shape;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, found->size()); ++i) {
    if ((*found)[i].is_number()) shape[i] = (*found)[i].get<std::int64_t>();
  }
  return shape;
}

std::optional<TraceEvent> event_of(const TraceJson& object) {
  if (!object.is_object() || text_member(object, "ph") != "X") return std::nullopt;
  const auto ts = object.find("ts"), duration = object.find("dur");
  if (ts == object.end() || duration == object.end() || !ts->is_number() || !duration->is_number())
    return std::nullopt;
  TraceEvent event;
  event.name = text_member(object, "name");
  event.category = text_member(object, "cat");
  if (const auto tid = object.find("tid"); tid != object.end()) event.thread = tid->dump();
  event.begin_ns = std::llround(ts->get<double>() * 1e3);
  event.end_ns = event.begin_ns + std::llround(duration->get<double>() * 1e3);
  const auto arguments = object.find("args");
  if (arguments == object.end() || !arguments->is_object()) return event;
  event.external =
      number_member(*arguments, "External id", number_member(*arguments, "external id", 0));
  event.correlation = number_member(*arguments, "correlation", 0);
  event.sequence = number_member(*arguments, "Sequence number", -1);
  event.forward_thread = number_member(*arguments, "Fwd thread id", 0);
  event.stream = number_member(*arguments, "stream", 0);
  event.device = number_member(*arguments, "device", 0);
  event.registers = number_member(*arguments, "registers per thread", 0);
  event.shared_bytes = number_member(*arguments, "shared memory", 0);
  event.graph = number_member(*arguments, "graph id", 0);
  event.grid = shape_member(*arguments, "grid");
  event.block = shape_member(*arguments, "block");
  return event;
}

bool is_one_of(const std::string& category, std::initializer_list<const char*> names) {
  return std::ranges::any_of(names, [&](const char* name) { return category == name; });
}

std::string kernel_name(const TraceEvent& event) {
  if (event.category == "gpu_memset") return "[CUDA memset]";
  if (event.category == "gpu_memcpy") {
    const std::size_t space = event.name.find(' ');  // "Memcpy DtoD (Device -> Device)"
    const std::string kind = space == std::string::npos ? "" : event.name.substr(space + 1, 4);
    return "[CUDA memcpy" + (kind.empty() ? "" : " " + kind) + "]";
  }
  return event.name;
}

// Spans of one kind; which of them a moment is in, the innermost.
class Spans {
 public:
  void add(SpanRecord span) { spans_.push_back(std::move(span)); }
  void sort() {
    std::ranges::stable_sort(spans_, [](const SpanRecord& a, const SpanRecord& b) {
      return std::tuple(a.begin_ns, -a.end_ns) < std::tuple(b.begin_ns, -b.end_ns);
    });
  }
  std::int64_t at(std::int64_t ns) const {
    auto next = std::ranges::upper_bound(spans_, ns, {}, &SpanRecord::begin_ns);
    while (next != spans_.begin()) {
      --next;
      if (next->end_ns > ns) return next - spans_.begin();
    }
    return kNoSpan;
  }
  const std::vector<SpanRecord>& all() const { return spans_; }

 private:
  std::vector<SpanRecord> spans_;
};

class TraceReader {
 public:
  explicit TraceReader(const TraceJson& events) {
    for (const TraceJson& object : events) {
      auto event = event_of(object);
      if (!event) continue;
      if (event->category == "cpu_op") {
        if (!event->name.starts_with(kNodeWrapper)) operators_.push_back(std::move(*event));
      } else if (event->category == "user_annotation") {
        add_annotation(*event);
      } else if (is_one_of(event->category, {"kernel", "gpu_memcpy", "gpu_memset"})) {
        kernels_.push_back(std::move(*event));
      } else if (is_one_of(event->category, {"cuda_runtime", "cuda_driver"})) {
        launches_[event->correlation] = {event->thread, event->begin_ns, event->end_ns};
      }
    }
    phases_.sort();
    ranges_.sort();
  }

  TorchTrace read() {
    add_operators();
    add_kernels();
    trace_.recording.phases = phases_.all();
    trace_.recording.ranges = ranges_.all();
    return std::move(trace_);
  }

 private:
  struct Launch {
    std::string thread;
    std::int64_t ns = 0, end_ns = 0;
  };
  struct Node {
    std::string range;
    std::int64_t span = kNoSpan;
  };

  void add_annotation(const TraceEvent& event) {
    if (event.name == "sweepd.step") {
      trace_.step_ms = static_cast<double>(event.end_ns - event.begin_ns) / 1e6;
      trace_.recording.begin_ns = event.begin_ns;
      main_thread_ = event.thread;
    } else if (event.name.starts_with(kOwn)) {
      phases_.add({event.name.substr(kOwn.size()), event.begin_ns, event.end_ns});
    } else if (std::ranges::none_of(kTorchAnnotations, [&](std::string_view own) {
                 return event.name.starts_with(own);
               })) {
      ranges_.add({event.name, event.begin_ns, event.end_ns});
    }
  }

  // Callers come before what they call: by thread, in the order of their begin.
  void add_operators() {
    std::ranges::stable_sort(operators_, [](const TraceEvent& a, const TraceEvent& b) {
      return std::tuple(a.thread, a.begin_ns, -a.end_ns) <
             std::tuple(b.thread, b.begin_ns, -b.end_ns);
    });
    // The forward's operators first, because nodes of the backward ask for their ranges.
    std::map<std::int64_t, Node> by_sequence;
    for (const TraceEvent& event : operators_) {
      if (event.sequence < 0 || event.forward_thread != 0) continue;
      if (const std::int64_t span = ranges_.at(event.begin_ns); span != kNoSpan) {
        by_sequence[event.sequence] = {ranges_.all()[static_cast<std::size_t>(span)].name, span};
      }
    }
    std::map<std::string, int> threads{{main_thread_, 0}};
    std::vector<std::int64_t> open;
    const std::string* thread = nullptr;
    auto& all = trace_.recording.operators;
    for (const TraceEvent& event : operators_) {
      if (thread == nullptr || *thread != event.thread) open.clear();
      thread = &event.thread;
      while (!open.empty() && all[static_cast<std::size_t>(open.back())].end_ns < event.end_ns)
        open.pop_back();
      OperatorRecord op;
      op.name = event.name;
      op.begin_ns = event.begin_ns;
      op.end_ns = event.end_ns;
      op.parent = open.empty() ? kNoParent : open.back();
      op.thread = threads.try_emplace(event.thread, static_cast<int>(threads.size())).first->second;
      if (const std::int64_t phase = phases_.at(event.begin_ns); phase != kNoSpan) {
        op.phase = phases_.all()[static_cast<std::size_t>(phase)].name;
      }
      set_range(op, event, by_sequence);
      open.push_back(static_cast<std::int64_t>(all.size()));
      by_external_[event.external] = open.back();
      by_thread_[event.thread].push_back(open.back());
      all.push_back(std::move(op));
    }
  }

  void set_range(OperatorRecord& op, const TraceEvent& event,
                 const std::map<std::int64_t, Node>& by_sequence) const {
    const bool is_node = event.forward_thread != 0;
    if (const auto node = by_sequence.find(event.sequence); is_node && node != by_sequence.end()) {
      op.range = node->second.range;
      op.span = node->second.span;
    } else if (const std::int64_t span = ranges_.at(event.begin_ns); span != kNoSpan) {
      op.range = ranges_.all()[static_cast<std::size_t>(span)].name;
      op.span = span;
    } else if (op.parent != kNoParent) {
      const OperatorRecord& parent =
          trace_.recording.operators[static_cast<std::size_t>(op.parent)];
      op.range = parent.range;
      op.span = parent.span;
    }
  }

  // The innermost operator of the thread at that moment.
  std::int64_t running(const Launch& launch) const {
    const auto thread = by_thread_.find(launch.thread);
    if (thread == by_thread_.end()) return kNoParent;
    const auto& all = trace_.recording.operators;
    const auto begin = [&](std::int64_t index) {
      return all[static_cast<std::size_t>(index)].begin_ns;
    };
    auto next = std::ranges::upper_bound(thread->second, launch.ns, {}, begin);
    if (next == thread->second.begin()) return kNoParent;
    std::int64_t index = *--next;
    while (index != kNoParent && all[static_cast<std::size_t>(index)].end_ns < launch.ns) {
      index = all[static_cast<std::size_t>(index)].parent;
    }
    return index;
  }

  LaunchRecord launch_of(const TraceEvent& event) const {
    const auto launch = launches_.find(event.correlation);
    if (event.correlation == 0 || launch == launches_.end()) return {};
    return {static_cast<std::uint64_t>(event.correlation), event.graph != 0, launch->second.ns,
            launch->second.end_ns};
  }

  void add_kernels() {
    std::ranges::stable_sort(kernels_, {}, &TraceEvent::begin_ns);
    for (const TraceEvent& event : kernels_) {
      KernelRecord kernel;
      kernel.name = kernel_name(event);
      kernel.begin_ns = event.begin_ns;
      kernel.end_ns = event.end_ns;
      kernel.stream = static_cast<std::uint64_t>(event.stream);
      kernel.device = static_cast<int>(event.device);
      kernel.grid = event.grid;
      kernel.block = event.block;
      kernel.registers = event.registers;
      kernel.shared_bytes = event.shared_bytes;
      kernel.launch = launch_of(event);
      if (const auto op = by_external_.find(event.external);
          event.external != 0 && op != by_external_.end()) {
        kernel.launcher = op->second;
      } else if (const auto launch = launches_.find(event.correlation); launch != launches_.end()) {
        kernel.launcher = running(launch->second);
      }
      trace_.recording.kernels.push_back(std::move(kernel));
    }
  }

  TorchTrace trace_;
  std::vector<TraceEvent> operators_, kernels_;
  Spans phases_, ranges_;
  std::string main_thread_;
  std::unordered_map<std::int64_t, Launch> launches_;           // by correlation
  std::unordered_map<std::int64_t, std::int64_t> by_external_;  // operators
  std::map<std::string, std::vector<std::int64_t>> by_thread_;  // operators, by begin
};

DeviceInfo device_in(const TraceJson& trace, int index) {
  DeviceInfo device;
  const auto all = trace.find("deviceProperties");
  if (!trace.is_object() || all == trace.end() || !all->is_array()) return device;
  for (const TraceJson& each : *all) {
    if (!each.is_object() || number_member(each, "id", -1) != index) continue;
    device.name = text_member(each, "name");
    device.compute_capability = fmt::format("{}.{}", number_member(each, "computeMajor", 0),
                                            number_member(each, "computeMinor", 0));
    if (const auto sms = number_member(each, "numSms", 0); sms > 0) device.multiprocessors = sms;
  }
  return device;
}

}  // namespace

TorchTrace read_torch_trace(std::string_view text) {
  if (is_nested_too_deeply(text)) throw std::runtime_error("the trace is " + nested_too_deeply());
  const TraceJson trace = TraceJson::parse(text, nullptr, /*allow_exceptions=*/false);
  if (trace.is_discarded()) throw std::runtime_error("the trace is not JSON");
  const TraceJson& events =
      trace.is_object() && trace.contains("traceEvents") ? trace["traceEvents"] : trace;
  if (!events.is_array()) throw std::runtime_error("the trace has no list `traceEvents`");
  TorchTrace read = TraceReader(events).read();
  const auto& kernels = read.recording.kernels;
  if (!kernels.empty()) read.device = device_in(trace, kernels.front().device);
  return read;
}

}  // namespace sweepd::command
