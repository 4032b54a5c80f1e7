#include "runner/trace/program_steps.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace sweepd::trace {
namespace {

// A start without its stop lasts until the end of the run.
std::vector<StepWindow> steps_of_profiler_calls(const Timeline& timeline, const Window& run) {
  std::vector<StepWindow> steps;
  std::optional<Window> open;
  NameId name = 0;
  const auto close = [&](std::int64_t end_ns) {
    if (!open) return;
    open->end_ns = std::max(open->begin_ns, end_ns);
    steps.push_back({*open, static_cast<std::int64_t>(steps.size()), name});
    open.reset();
  };
  for (const HostCall& call : timeline.calls) {
    const std::string_view called = timeline.names[call.name];
    if (called == "cudaProfilerStart" || called == "cuProfilerStart") {
      if (!open) open = Window{call.end_ns, call.end_ns}, name = call.name;
    } else if (called == "cudaProfilerStop" || called == "cuProfilerStop") {
      close(call.begin_ns);
    }
  }
  close(run.end_ns);
  return steps;
}

}  // namespace

ProgramSteps program_steps(const Timeline& timeline) {
  if (auto steps = step_windows(timeline); !steps.empty()) {
    return {StepSource::kRanges, std::move(steps)};
  }
  const Window run = whole_window(timeline);
  if (auto steps = steps_of_profiler_calls(timeline, run); !steps.empty()) {
    return {StepSource::kProfilerCalls, std::move(steps)};
  }
  if (run.length_ns() == 0) return {};
  return {StepSource::kWholeRun, {{run, 0, 0}}};
}

}  // namespace sweepd::trace
