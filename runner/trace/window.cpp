#include "runner/trace/window.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

namespace sweepd::trace {
namespace {

class WindowOfAll {
 public:
  void add(const auto& record) {
    begin_ns_ = std::min(begin_ns_, record.begin_ns);
    end_ns_ = std::max(end_ns_, record.end_ns);
  }
  Window get() const { return begin_ns_ <= end_ns_ ? Window{begin_ns_, end_ns_} : Window{}; }

 private:
  std::int64_t begin_ns_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t end_ns_ = std::numeric_limits<std::int64_t>::min();
};

constexpr std::string_view kStepNames[] = {"profilerstep",  "step",      "train_step",
                                           "training_step", "iteration", "iter"};

struct StepName {
  std::size_t rank = 0;  // among kStepNames
  std::int64_t number = -1;
};

std::optional<StepName> step_name(std::string_view text) {
  if (text.size() > 80) return std::nullopt;
  std::string name(text);
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (std::size_t rank = 0; rank < std::size(kStepNames); ++rank) {
    if (!name.starts_with(kStepNames[rank])) continue;
    std::string_view rest = std::string_view(name).substr(kStepNames[rank].size());
    while (!rest.empty() && std::string_view(" #_:.=-").find(rest[0]) != std::string_view::npos) {
      rest.remove_prefix(1);
    }
    if (rest.empty()) return StepName{rank, -1};
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (error == std::errc() && end == rest.data() + rest.size()) return StepName{rank, number};
  }
  return std::nullopt;
}

std::vector<StepWindow> steps_among(const std::vector<HostSpan>& spans, const Names& names) {
  std::unordered_map<NameId, std::optional<StepName>> known;
  std::vector<StepWindow> steps;
  std::size_t best = std::size(kStepNames);
  for (const HostSpan& span : spans) {
    const auto [name, added] = known.try_emplace(span.name);
    if (added) name->second = step_name(names[span.name]);
    if (!name->second || name->second->rank > best) continue;
    if (name->second->rank < best) steps.clear();
    best = name->second->rank;
    if (!steps.empty() && span.begin_ns < steps.back().window.end_ns) continue;
    steps.push_back({{span.begin_ns, span.end_ns}, name->second->number, span.name});
  }
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].number < 0) steps[i].number = static_cast<std::int64_t>(i);
  }
  return steps;
}

}  // namespace

bool any_contains(const std::vector<Window>& windows, std::int64_t ns) {
  const auto next = std::ranges::upper_bound(windows, ns, {}, &Window::begin_ns);
  return next != windows.begin() && std::prev(next)->contains(ns);
}

Window whole_window(const Timeline& timeline) {
  WindowOfAll window;
  for (const DeviceWork& work : timeline.work) window.add(work);
  for (const HostCall& call : timeline.calls) window.add(call);
  for (const HostSpan& span : timeline.operators) window.add(span);
  for (const HostSpan& span : timeline.ranges) window.add(span);
  return window.get();
}

Window device_window(const Timeline& timeline, std::int32_t device) {
  WindowOfAll window;
  for (const DeviceWork& work : timeline.work) {
    if (work.device == device) window.add(work);
  }
  return window.get();
}

std::vector<std::int32_t> devices_with_work(const Timeline& timeline) {
  std::set<std::int32_t> devices;
  for (const DeviceWork& work : timeline.work) devices.insert(work.device);
  return {devices.begin(), devices.end()};
}

std::vector<StepWindow> step_windows(const Timeline& timeline) {
  auto steps = steps_among(timeline.ranges, timeline.names);
  return steps.empty() ? steps_among(timeline.operators, timeline.names) : steps;
}

}  // namespace sweepd::trace
