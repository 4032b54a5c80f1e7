// The kernels, copies and fills of this process, from CUPTI's activity API.
//
// CUPTI loses the first kernels of a session whose buffers came late, so `prepare_cupti` must run
// once per process, before the CUDA context is made. The profile pass then discards the first step
// that it observes, and compares the next two.
#pragma once

#include "workloads/api/profiler.h"

namespace sweepd {

// Registers buffers and clock. Throws Unavailable if this machine or another profiler does not
// allow tracing, with how to allow it; for any other error std::runtime_error naming the call.
void prepare_cupti();

class CuptiTracer final : public KernelTracer {
 public:
  void start() override;  // throws as prepare_cupti does
  void push(std::uint64_t id) override;
  void pop() override;
  KernelTrace take() override;
  void stop() override;
};

}  // namespace sweepd
