#include "runner/trace/injected_ranges.h"

#include <algorithm>
#include <limits>

namespace sweepd::trace {
namespace {

constexpr std::int64_t kLatestMoment = std::numeric_limits<std::int64_t>::max() / 4;

}  // namespace

void InjectedRanges::add(const inject::RangeRecord& record, NameId name) {
  const Moment moment{std::clamp<std::int64_t>(record.time_ns, 0, kLatestMoment),
                      record.head.flag == 0};
  switch (record.head.kind) {
    case inject::RecordKind::kPush:
      pushed_[{record.thread, record.domain}].push_back({moment, {}, record.thread, name});
      return;
    case inject::RecordKind::kPop: {
      auto& stack = pushed_[{record.thread, record.domain}];
      if (stack.empty()) return;
      close(stack.back(), moment);
      stack.pop_back();
      return;
    }
    case inject::RecordKind::kStart:
      started_.insert_or_assign(record.id, Range{moment, {}, record.thread, name});
      return;
    case inject::RecordKind::kEnd: {
      const auto found = started_.find(record.id);
      if (found == started_.end()) return;
      close(found->second, moment);
      started_.erase(found);
      return;
    }
    default:
      return;
  }
}

void InjectedRanges::close(Range range, const Moment& end) {
  range.end = end;
  closed_.push_back(range);
}

std::int64_t InjectedRanges::on_cupti_clock(const Moment& moment) const {
  return moment.of_host ? std::clamp<std::int64_t>(moment.ns + shift_ns_, 0, kLatestMoment)
                        : moment.ns;
}

std::vector<HostSpan> InjectedRanges::take() const {
  std::vector<HostSpan> ranges;
  ranges.reserve(closed_.size());
  for (const Range& range : closed_) {
    HostSpan span;
    span.begin_ns = on_cupti_clock(range.begin);
    span.end_ns = std::max(span.begin_ns, on_cupti_clock(range.end));
    span.thread = range.thread;
    span.name = range.name;
    ranges.push_back(span);
  }
  return ranges;
}

}  // namespace sweepd::trace
