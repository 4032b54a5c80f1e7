// The part of a timeline that an analysis looks at: all of it, or a step.
#pragma once

#include <cstdint>
#include <vector>

#include "runner/trace/timeline.h"

namespace sweepd::trace {

struct Window {  // [begin, end)
  std::int64_t begin_ns = 0, end_ns = 0;
  std::int64_t length_ns() const { return end_ns > begin_ns ? end_ns - begin_ns : 0; }
  bool contains(std::int64_t ns) const { return ns >= begin_ns && ns < end_ns; }
  friend bool operator==(const Window&, const Window&) = default;
};

// Whether one of the windows, which are in order and do not overlap, contains the time.
bool any_contains(const std::vector<Window>& windows, std::int64_t ns);

// From the first begin to the last end of anything in the timeline; empty if it has nothing.
Window whole_window(const Timeline& timeline);
// The same of the work of one device.
Window device_window(const Timeline& timeline, std::int32_t device);

// The devices with work, in order.
std::vector<std::int32_t> devices_with_work(const Timeline& timeline);

struct StepWindow {
  Window window;
  std::int64_t number = -1;  // that of its name (12 for `ProfilerStep#12`), or counted from 0
  NameId name = 0;
};

// The steps of the traced program, in order: ranges with one of these names, whatever the case,
// alone or with a number after any of ` #_:.=-` or none. The first name of which there are ranges
// counts. If a step lies in another or overlaps it, the later one is left out, so that steps on
// several threads count once. In the traces of older versions of PyTorch they are operators.
//   ProfilerStep (torch.profiler), step, train_step, training_step, iteration, iter
std::vector<StepWindow> step_windows(const Timeline& timeline);

}  // namespace sweepd::trace
