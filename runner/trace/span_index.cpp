#include "runner/trace/span_index.h"

#include <algorithm>

namespace sweepd::trace {

SpanIndex::SpanIndex(std::span<const HostSpan> spans)
    : spans_(spans), parent_(spans.size(), kNone) {
  std::map<std::int64_t, std::vector<std::uint32_t>> open;
  for (std::uint32_t i = 0; i < spans.size(); ++i) {
    std::vector<std::uint32_t>& outer = open[spans[i].thread];
    while (!outer.empty() && spans[outer.back()].end_ns <= spans[i].begin_ns) outer.pop_back();
    if (!outer.empty()) parent_[i] = outer.back();
    outer.push_back(i);
    threads_[spans[i].thread].push_back(i);
  }
}

std::optional<std::size_t> SpanIndex::at(std::int64_t thread, std::int64_t ns) const {
  const auto of_thread = threads_.find(thread);
  if (of_thread == threads_.end()) return std::nullopt;
  const auto begin = [&](std::uint32_t i) { return spans_[i].begin_ns; };
  auto next = std::ranges::upper_bound(of_thread->second, ns, {}, begin);
  if (next == of_thread->second.begin()) return std::nullopt;
  std::uint32_t found = *--next;
  while (found != kNone && spans_[found].end_ns <= ns) found = parent_[found];
  if (found == kNone) return std::nullopt;
  return found;
}

std::optional<std::size_t> SpanIndex::parent(std::size_t span) const {
  if (parent_[span] == kNone) return std::nullopt;
  return parent_[span];
}

std::vector<std::int64_t> SpanIndex::self_ns() const {
  std::vector<std::int64_t> self;
  self.reserve(spans_.size());
  for (const HostSpan& span : spans_) self.push_back(span.end_ns - span.begin_ns);
  for (std::size_t i = 0; i < spans_.size(); ++i) {
    if (parent_[i] != kNone) self[parent_[i]] -= spans_[i].end_ns - spans_[i].begin_ns;
  }
  for (std::int64_t& ns : self) ns = std::max<std::int64_t>(0, ns);
  return self;
}

}  // namespace sweepd::trace
