// The rows of a profile pass from a timeline: kernels and operators by phase and range. Pure.
#pragma once

#include <vector>

#include "runner/model/measurement/sample.h"
#include "runner/model/vocabulary/kernel.h"
#include "runner/trace/analysis.h"
#include "runner/trace/window.h"

namespace sweepd::trace {

struct ProfileRows {
  std::vector<KernelStats> kernels;      // largest total first
  std::vector<OperatorStats> operators;  // largest self CPU time first
};

// Of what begins in one of the windows, which are in order and do not overlap. Work has the place
// of the operator that launched it, else of its launch. Without any work of a device the operators
// are the kernels, with their self time. FLOPs and bytes are those of the operators
// (kernel_work.h), where the trace has their shapes. `rank` and `classify`'s fields of the rows
// stay empty.
ProfileRows profile_rows(const TraceIndex& index, const std::vector<Window>& windows);

// Fills the occupancy and waves of a kernel whose registers and shape are known, on this device.
void set_occupancy(KernelStats& kernel, const TracedDevice& device);

// The metrics of runner/model/vocabulary/known_metric.h that say what bounds a window, as means
// over the windows, of phase `step`: one sample for each device, whose `step` is the device's
// position in `use.devices`; those of launches once, with step 0. What a trace without launches
// cannot say is left out.
std::vector<Sample> bound_samples(const TraceUse& use);

}  // namespace sweepd::trace
