// Tables of what a window has: kernels, copies, operators. Rows count what begins in the window, in
// whole, and are in the order of their time, the largest first, then of their names. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "runner/trace/timeline.h"
#include "runner/trace/window.h"

namespace sweepd::trace {

struct WorkRow {
  NameId name = 0;
  std::int32_t launch_shape = -1;  // of all calls, as of DeviceWork; -1 also if they differ
  std::int64_t calls = 0;
  double total_ns = 0, mean_ns = 0, min_ns = 0, max_ns = 0;
  double total_bytes = 0;        // of copies and fills
  std::int64_t streams = 0;      // on which they ran, over all devices
  std::int64_t graph_calls = 0;  // with a graph, as far as DeviceWork::graph has it
};

enum class GroupBy { kName, kNameAndShape };
std::vector<WorkRow> kernel_table(const Timeline& timeline, const Window& window,
                                  GroupBy group = GroupBy::kName);

// Copies and fills by name.
std::vector<WorkRow> copy_table(const Timeline& timeline, const Window& window);

struct OperatorRow {
  NameId name = 0;
  std::int64_t calls = 0;
  double total_ns = 0;  // with what it called; an operator that calls itself counts twice
  double self_ns = 0;   // without the operators that it called
};
std::vector<OperatorRow> operator_table(const Timeline& timeline, const Window& window);

}  // namespace sweepd::trace
