// Reads a trace of torch.profiler (export_chrome_trace, Kineto's Trace Event Format) as the
// recording that the built-in profiler makes. Pure.
//
// An annotation `sweepd.PHASE` is a phase, `sweepd.step` the step; every other annotation is a
// range. A kernel belongs to the operator with its `External id`, else to the one that ran when its
// `correlation` was launched. A node of the backward has the range of the forward's operator with
// its `Sequence number`.
#pragma once

#include <string_view>

#include "runner/model/machine/environment.h"
#include "workloads/api/profiler.h"

namespace sweepd::command {

struct TorchTrace {
  Recording recording;
  double step_ms = 0;  // of the annotation `sweepd.step`; 0: it has none
  DeviceInfo device;   // of the kernels; its name, SMs and compute capability
};

// Throws std::runtime_error that says what is wrong with the text.
TorchTrace read_torch_trace(std::string_view text);

}  // namespace sweepd::command
