// The rows of a profile pass's step: its kernels, and the operators that launched them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runner/base/fields.h"
#include "runner/base/units.h"

namespace sweepd {

// Calls of one kernel in one step, in one phase and range. On a GPU, a kernel is any work of the
// device (kernels, memory copies and fills), and times are device times. On a CPU, a kernel is an
// operator, and times are its self time, which excludes the operators it called. The sum over all
// rows of a rank is therefore the time during which the device worked.
struct KernelStats {
  static constexpr std::string_view kTable = "kernel";
  int rank = 0;
  std::string phase;  // as in `memory`; "step" is only for work outside every phase
  std::string range;  // the innermost (workloads/api/range.h); "other" is outside every range
  std::string name;   // in full: demangled, with every template argument
  Shape3 grid{};      // zeros: not a launch (an operator, a copy)
  Shape3 block{};     // threads
  std::int64_t calls = 0;
  double total_ns = 0;
  double mean_ns = 0;  // of one call, like the next four
  double median_ns = 0;
  double min_ns = 0;
  double max_ns = 0;
  double std_ns = 0;           // of a sample (n - 1); 0 for one call
  std::int64_t registers = 0;  // of a thread; 0: unknown
  Bytes shared = {};           // of a block, static and dynamic
  // Share of the warps that a multiprocessor can hold, and the grid's blocks over those that the
  // device holds at once: upper limits, from the launch and the device (runner/trace/occupancy.h).
  std::optional<double> occupancy = {}, waves = {};
  // Of all calls, from the shapes of the operator that launched them
  // (runner/trace/operator_work.h).
  std::optional<double> flops = {}, bytes = {};
  std::string arithmetic = {};  // of the FLOPs: "bf16"; "" unknown
  // Filled by `classify` (kernel_class.h), from the name and the phase.
  std::string short_name = {}, kernel_class = {};

  static void visit(auto& self, auto&& field) {
    field("rank", self.rank, "", Implied());
    field("phase", self.phase, "as of `memory`; `step` is what ran outside every phase",
          Interned());
    field("range", self.range, "the innermost; `other` is outside every range", Interned());
    field("name", self.name, "in full, with every template argument", Interned(),
          ColumnName{"kernel"});
    field("short_name", self.short_name, "", Interned(), Implied());
    field("class", self.kernel_class, "", Interned(), Implied());
    field("grid", self.grid, "zeros: not a launch");
    field("block", self.block, "threads");
    field("calls", self.calls, "of one step");
    field("total_ns", self.total_ns, "");
    field("mean_ns", self.mean_ns, "of one call, as the next four");
    field("median_ns", self.median_ns, "");
    field("min_ns", self.min_ns, "");
    field("max_ns", self.max_ns, "");
    field("std_ns", self.std_ns, "of a sample (n - 1)");
    field("registers", self.registers, "of a thread; 0: unknown", Sparse(), MayLack());
    field("shared", self.shared, "of a block, static and dynamic", Sparse(), MayLack());
    field("occupancy", self.occupancy, "share of the warps that a multiprocessor can hold");
    field("waves", self.waves, "the grid's blocks over those that the device holds at once");
    field("flops", self.flops, "of all calls, by the shapes of the operator that launched them");
    field("bytes", self.bytes, "likewise; each input and result once");
    field("arithmetic", self.arithmetic, "of the FLOPs: `bf16`; empty: unknown", Sparse(),
          MayLack());
  }
};

// Calls of one operator in one step, in one phase and range, on both clocks.
struct OperatorStats {
  static constexpr std::string_view kTable = "operator";
  int rank = 0;
  std::string phase;
  std::string range;
  std::string name;  // "aten::mm"; "MmBackward0" for nodes of the backward
  std::int64_t calls = 0;
  double self_cpu_ns = 0;      // without the operators it called
  double total_cpu_ns = 0;     // with them; recursion is counted once
  double self_device_ns = 0;   // GPU: kernels it launched itself; 0 on a CPU
  double total_device_ns = 0;  // GPU: and those of the operators it called

  static void visit(auto& self, auto&& field) {
    field("rank", self.rank, "", Implied());
    field("phase", self.phase, "", Interned());
    field("range", self.range, "", Interned());
    field("name", self.name, "`aten::mm`, `MmBackward0`", Interned(), ColumnName{"operator"});
    field("calls", self.calls, "of one step");
    field("self_cpu_ns", self.self_cpu_ns, "without the operators it called");
    field("total_cpu_ns", self.total_cpu_ns, "with them");
    field("self_device_ns", self.self_device_ns, "kernels it launched itself; 0 on a CPU");
    field("total_device_ns", self.total_device_ns, "and those of the operators it called");
  }
};

}  // namespace sweepd
