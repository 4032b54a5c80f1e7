// Finds the innermost span of a thread at a moment, for operators and ranges, which nest.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "runner/trace/timeline.h"

namespace sweepd::trace {

class SpanIndex {
 public:
  // By begin, an outer span before its inner ones. They must outlive the index.
  explicit SpanIndex(std::span<const HostSpan> spans);

  std::optional<std::size_t> at(std::int64_t thread, std::int64_t ns) const;
  // The span around it on its thread.
  std::optional<std::size_t> parent(std::size_t span) const;
  // Of each span, its time without that of the spans directly inside. Never negative.
  std::vector<std::int64_t> self_ns() const;

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  std::span<const HostSpan> spans_;
  std::vector<std::uint32_t> parent_;
  std::map<std::int64_t, std::vector<std::uint32_t>> threads_;  // spans by begin
};

}  // namespace sweepd::trace
