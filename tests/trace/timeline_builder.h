// Makes small timelines. Times are microseconds.
#pragma once

#include <algorithm>
#include <string_view>

#include "runner/trace/analysis.h"

namespace sweepd::trace {

class TimelineBuilder {
 public:
  TimelineBuilder& kernel(std::int64_t begin, std::int64_t end, std::int64_t correlation = 0,
                          std::int64_t stream = 7, std::string_view name = "gemm",
                          std::int32_t device = 0) {
    DeviceWork& work = timeline.work.emplace_back();
    work.begin_ns = begin * 1'000;
    work.end_ns = end * 1'000;
    work.correlation = correlation;
    work.stream = stream;
    work.name = timeline.names.add(name);
    work.device = device;
    return *this;
  }
  TimelineBuilder& copy(std::int64_t begin, std::int64_t end, std::int64_t correlation = 0) {
    kernel(begin, end, correlation, 7, "[CUDA memcpy HtoD]");
    timeline.work.back().kind = WorkKind::kCopy;
    return *this;
  }
  TimelineBuilder& call(std::int64_t begin, std::int64_t end, std::int64_t correlation,
                        CallKind kind = CallKind::kLaunch) {
    timeline.calls.push_back(
        {begin * 1'000, end * 1'000, correlation, 1, timeline.names.add("call"), kind});
    return *this;
  }
  TimelineBuilder& span(std::vector<HostSpan>& spans, std::int64_t begin, std::int64_t end,
                        std::string_view name, std::int64_t thread = 1) {
    spans.push_back({begin * 1'000, end * 1'000, thread, -1, timeline.names.add(name)});
    return *this;
  }
  TimelineBuilder& range(std::int64_t begin, std::int64_t end, std::string_view name,
                         std::int64_t thread = 1) {
    return span(timeline.ranges, begin, end, name, thread);
  }
  TimelineBuilder& op(std::int64_t begin, std::int64_t end, std::string_view name,
                      std::int64_t thread = 1) {
    return span(timeline.operators, begin, end, name, thread);
  }

  // Gives the last operator this work.
  TimelineBuilder& doing(double flops, double bytes,
                         KernelClass kernel_class = KernelClass::kMatmul) {
    timeline.operators.back().work = static_cast<std::int32_t>(timeline.operator_work.size());
    timeline.operator_work.push_back({flops, bytes, flops > 0 ? "fp32" : "", kernel_class});
    return *this;
  }

  // What this window, in microseconds, shows of the first device.
  DeviceUse use(std::int64_t begin, std::int64_t end) const {
    return analyse(begin, end).devices.at(0);
  }
  TraceUse analyse(std::int64_t begin, std::int64_t end) const {
    return TraceIndex(timeline).analyse({begin * 1'000, end * 1'000});
  }

  Timeline timeline;
};

}  // namespace sweepd::trace
