// Tests that all events of an attempt are read back unchanged, for any pieces in which the file
// arrives.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "runner/wire/event.h"

namespace sweepd {
namespace {

rc::Gen<double> any_double() {
  return rc::gen::oneOf(
      rc::gen::arbitrary<double>(),
      rc::gen::element(0.0, -0.0, 1e308, 5e-324, std::numeric_limits<double>::infinity(),
                       -std::numeric_limits<double>::infinity(),
                       std::numeric_limits<double>::quiet_NaN()));
}

// Text with characters that JSON must escape: quotes, backslashes, newlines, control bytes, UTF-8.
rc::Gen<std::string> any_text() {
  return rc::gen::map(
      rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
          "a", "Z", " ", "\"", "\\", "\n", "\r", "\t", std::string("\x01"), "{", "}", "±", "😀")),
      [](const std::vector<std::string>& pieces) {
        std::string text;
        for (const std::string& piece : pieces) text += piece;
        return text;
      });
}

rc::Gen<Bytes> any_bytes() {
  return rc::gen::map(rc::gen::arbitrary<std::int64_t>(), [](std::int64_t n) { return Bytes{n}; });
}

rc::Gen<Event> any_step() {
  return rc::gen::exec([]() -> Event {
    StepEvent event{*rc::gen::arbitrary<std::int64_t>(), *rc::gen::arbitrary<bool>(), {}};
    const int count = *rc::gen::inRange(0, 4);
    for (int i = 0; i < count; ++i) {
      event.samples.push_back(
          {0, event.step, *any_text(), *any_text(), *any_double(), event.warmup});
    }
    return event;
  });
}

rc::Gen<Event> any_end() {
  return rc::gen::exec([]() -> Event {
    EndEvent event;
    event.time = {*rc::gen::arbitrary<std::int64_t>()};
    if (*rc::gen::arbitrary<bool>()) event.lines = *rc::gen::arbitrary<std::int64_t>();
    if (*rc::gen::arbitrary<bool>()) event.steps = *rc::gen::arbitrary<std::int64_t>();
    switch (*rc::gen::inRange(0, 7)) {
      case 0:
        event.ending.detail = Done{*any_text()};
        break;
      case 1:
        event.ending.detail = Oom{*any_bytes(), *any_bytes(), *any_bytes(), *any_text()};
        break;
      case 2:
        event.ending.detail = Timeout{{*rc::gen::arbitrary<std::int64_t>()}, *any_text()};
        break;
      case 3:
        event.ending.detail = Crashed{*rc::gen::arbitrary<int>(), std::nullopt, *any_text()};
        break;
      case 4:
        event.ending.detail = Failed{*any_text(), *any_text()};
        break;
      case 5:
        event.ending.detail = Cancelled{*any_text()};
        break;
      default:
        event.ending.detail = Skipped{*any_text()};
    }
    return event;
  });
}

rc::Gen<Duration> any_duration() {
  return rc::gen::map(rc::gen::arbitrary<std::int64_t>(),
                      [](std::int64_t n) { return Duration{n}; });
}

// One of the three events of a memory pass's recording.
rc::Gen<Event> any_trace() {
  return rc::gen::exec([]() -> Event {
    const auto number = [] { return *rc::gen::arbitrary<std::int64_t>(); };
    switch (*rc::gen::inRange(0, 3)) {
      case 0:
        return HeldMemoryEvent{{{0, *any_text(), *any_text(), *any_bytes()}}};
      case 1: {
        std::optional<Duration> freed;
        if (*rc::gen::arbitrary<bool>()) freed = *any_duration();
        return AllocationsEvent{{{0, number(), *any_bytes(), *any_duration(), freed, *any_text(),
                                  *any_text(), *any_text()}}};
      }
      default:
        return MemoryTimelineEvent{
            {{0, number(), *any_duration(), *any_text(), *rc::gen::arbitrary<std::uint64_t>(),
              *any_bytes(), *any_bytes(), *any_bytes(), *any_text()}}};
    }
  });
}

rc::Gen<Event> any_event() {
  const auto fact = rc::gen::exec([]() -> Event {
    if (*rc::gen::arbitrary<bool>()) return FactEvent{*any_text(), *any_double(), ""};
    return FactEvent{*any_text(), std::nullopt, *any_text()};
  });
  const auto work = rc::gen::exec([]() -> Event {
    WorkEvent event;
    event.work.arithmetic = *any_text();
    event.work.tokens = *any_double();
    event.work.ruler = *rc::gen::element(Ruler::kNone, Ruler::kArithmetic, Ruler::kMemory);
    event.work.phases = {{*any_text(), *any_double(), *any_double(), *any_double()}};
    event.work.figures = {{*any_text(), *any_double(), *any_text()}};
    return event;
  });
  const auto memory = rc::gen::exec([]() -> Event {
    return MemoryEvent{
        {0, *any_text(), *any_bytes(), *any_bytes(), *any_bytes(), *any_bytes(), *any_bytes()}};
  });
  const auto kernel = rc::gen::exec([]() -> Event {
    KernelEvent event;
    event.record = {0, *any_text(), *any_text(), *any_text()};
    event.record.grid = {*rc::gen::arbitrary<std::int64_t>(), 1, 2};
    event.record.block = {3, *rc::gen::arbitrary<std::int64_t>(), 4};
    event.record.calls = *rc::gen::arbitrary<std::int64_t>();
    event.record.total_ns = *any_double();
    event.record.std_ns = *any_double();
    return event;
  });
  const auto op = rc::gen::exec([]() -> Event {
    return OperatorEvent{{0, *any_text(), *any_text(), *any_text(),
                          *rc::gen::arbitrary<std::int64_t>(), *any_double(), *any_double(),
                          *any_double(), *any_double()}};
  });
  return rc::gen::oneOf(any_step(), any_end(), fact, work, memory, kernel, op, any_trace());
}

// The texts are compared: NaN is unequal to itself, its text is not.
TEST(EventProperty, RoundTripInAnyPieces) {
  EXPECT_TRUE(rc::check([] {
    const auto events = *rc::gen::resize(8, rc::gen::container<std::vector<Event>>(any_event()));
    std::string file;
    for (const Event& event : events) file += event_to_line(event) + "\n";

    EventReader reader(0);
    std::vector<Event> again;
    for (std::size_t at = 0; at < file.size();) {
      const auto size = static_cast<std::size_t>(*rc::gen::inRange(1, 200));
      RC_ASSERT(reader.feed(std::string_view(file).substr(at, size), again).ok());
      at += size;
    }
    std::string written;
    for (const Event& event : again) written += event_to_line(event) + "\n";
    RC_ASSERT(written == file);
  }));
}

TEST(EventProperty, SampleValuesAreExactToTheBit) {
  EXPECT_TRUE(rc::check([] {
    const double value = *any_double();
    StepEvent event{0, false, {}};
    event.samples = {{0, 0, "step", "time", value, false}};
    const auto again = event_from_line(event_to_line(event), 0);
    RC_ASSERT(again.ok());
    const double read = std::get<StepEvent>(*again).samples.at(0).value;
    const bool same = std::isnan(value) ? std::isnan(read)  // which NaN it is does not matter
                                        : std::memcmp(&read, &value, sizeof(value)) == 0;
    RC_ASSERT(same);
  }));
}

}  // namespace
}  // namespace sweepd
