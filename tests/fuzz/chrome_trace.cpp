#include "runner/trace/chrome.h"

#include <algorithm>
#include <string>

#include "runner/trace/analysis.h"
#include "runner/trace/occupancy.h"
#include "runner/trace/profile_rows.h"
#include "tests/fuzz/target.h"

namespace sweepd::fuzz {
namespace {

Result<trace::ChromeTrace> parse_pieces(std::string_view text, std::size_t piece) {
  const trace::NextPiece next = [&]() -> Result<std::string> {
    std::string head(text.substr(0, piece));
    text.remove_prefix(head.size());
    return head;
  };
  return trace::parse_chrome_trace(next, "fuzz");
}

void require_window(const trace::TraceIndex& index, const trace::Window& window) {
  for (const trace::DeviceUse& use : index.analyse(window).devices) {
    require(use.busy_ns + use.idle_ns == window.length_ns(), "busy and idle time are the window");
    require(use.busy_ns >= 0 && use.idle_ns >= 0, "no time is negative");
    require(use.communication.exposed_ns >= 0, "exposed communication is a part of it");
  }
}

void require_sound(const trace::Timeline& timeline) {
  const auto in_order = [](const auto& records) {
    return std::ranges::is_sorted(records, {}, [](const auto& each) { return each.begin_ns; }) &&
           std::ranges::all_of(records,
                               [](const auto& each) { return each.begin_ns <= each.end_ns; });
  };
  require(in_order(timeline.work) && in_order(timeline.calls), "work and calls are in order");
  require(in_order(timeline.operators) && in_order(timeline.ranges), "spans are in order");
  const trace::Window all = trace::whole_window(timeline);
  const trace::TraceIndex index(timeline);
  require_window(index, all);
  for (const trace::StepWindow& step : trace::step_windows(timeline))
    require_window(index, step.window);
  std::int64_t calls = 0;
  const trace::Window all_begins{all.begin_ns, all.end_ns + 1};
  for (const KernelStats& row : trace::profile_rows(index, {all_begins}).kernels)
    calls += row.calls;
  require(timeline.work.empty() || calls == std::ssize(timeline.work), "all work is in a row");
  for (const trace::LaunchShape& shape : timeline.shapes) {
    for (const trace::TracedDevice& device : timeline.devices) trace::occupancy_of(shape, device);
  }
}

}  // namespace

void chrome_trace(std::string_view bytes) {
  const auto whole = parse_pieces(bytes, 1 << 20);
  const auto again = parse_pieces(bytes, 3);
  require(whole.ok() == again.ok(), "the size of the pieces does not matter");
  if (!whole) {
    require(!whole.error().message.empty(), "a mistake has a message");
    return require(whole.error().message == again.error().message, "and has one message");
  }
  require(whole->events == again->events && whole->first_unusable == again->first_unusable,
          "what is left out does not depend on the pieces");
  require_sound(whole->timeline);
}

}  // namespace sweepd::fuzz
