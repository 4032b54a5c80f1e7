// Records every operator that torch dispatches, with a global RecordFunction callback. Costs 0.1 to
// 0.5 microseconds per operator while started, nothing otherwise (docs/decisions/profiler.md).
//
// Ranges: an operator of the forward belongs to the innermost Range around it. Autograd numbers its
// nodes by the operators that made them, per thread, so a node of the backward finds the range of
// its forward by that number. A node without a number (AccumulateGrad) belongs to the node before
// it, whose gradient it stores.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "workloads/api/profiler.h"
#include "workloads/api/range.h"

namespace sweepd {

class OpProfiler final : public Profiler, private RangeObserver {
 public:
  explicit OpProfiler(KernelTracer* tracer);  // null on a CPU; must outlive this
  OpProfiler(const OpProfiler&) = delete;
  OpProfiler& operator=(const OpProfiler&) = delete;
  ~OpProfiler() override;  // stops

  void start() override;
  void enter(std::string_view phase) override;
  Recording take() override;
  void stop() override;

 private:
  void push(std::string_view name) override;
  void pop() override;

  KernelTracer* tracer_;
  std::uint64_t handle_ = 0;                 // id of the callback; 0: not started
  std::vector<SpanRecord> phases_, ranges_;  // since the last take
  std::vector<std::size_t> open_ranges_;     // indices into ranges_
};

}  // namespace sweepd
