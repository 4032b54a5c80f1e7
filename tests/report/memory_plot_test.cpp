// Tests the pictures of a memory timeline, from literal points.
#include "runner/report/plot/memory_plot.h"
#include "runner/base/printable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "runner/report/plot/memory_curve.h"

namespace sweepd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::int64_t kMiB = 1 << 20;
constexpr std::int64_t kMs = 1'000'000;

MemoryPoint point(std::int64_t ms, const std::string& action, const std::string& phase,
                  std::int64_t mib) {
  MemoryPoint p;
  p.time = {ms * kMs};
  p.action = action;
  p.phase = phase;
  p.allocated = p.reserved = {mib * kMiB};
  return p;
}

// 10 MiB of weights; a forward that rises to 30, a backward that rises to 40 and falls.
MemoryPicture picture() {
  return {
      0,
      "lm_step model=tiny mode=train_step",
      {point(0, "phase", "step", 10), point(0, "phase", "forward", 10),
       point(10, "allocate", "forward", 20), point(20, "allocate", "forward", 30),
       point(40, "phase", "backward", 30), point(50, "allocate", "backward", 40),
       point(60, "free", "backward", 20), point(80, "phase", "step", 20)},
      {{"weights", std::vector<Bytes>(8, {10 * kMiB})},
       {"optimizer_state", std::vector<Bytes>(8, {0})},
       {"other",
        {{0}, {0}, {10 * kMiB}, {20 * kMiB}, {20 * kMiB}, {30 * kMiB}, {10 * kMiB}, {10 * kMiB}}}}};
}

TEST(MemoryCurve, KnowsItsPhasesAndItsPeak) {
  const MemoryPicture drawn = picture();
  const MemoryCurve curve = curve_of(drawn.timeline);
  ASSERT_NE(curve.peak, nullptr);
  EXPECT_EQ(curve.peak->time.ns, 50 * kMs);
  EXPECT_EQ(curve.end_ns, 80 * kMs);
  ASSERT_EQ(curve.phases.size(), 2U) << "the step's empty beginning and end are no phases";
  EXPECT_EQ(curve.phases[0].phase, "forward");
  EXPECT_EQ(curve.phases[1].begin_ns, 40 * kMs);
  EXPECT_EQ(curve.phases[1].end_ns, 80 * kMs);
}

TEST(MemoryCurve, AColumnShowsTheMostOfItsStretch) {
  const MemoryPicture drawn = picture();
  const auto columns = most_per_column(drawn.timeline, 80 * kMs - 1, 8);
  std::vector<std::int64_t> mib;
  for (const std::int64_t bytes : columns) mib.push_back(bytes / kMiB);
  EXPECT_THAT(mib, ElementsAre(10, 20, 30, 30, 30, 40, 40, 20));
}

TEST(MemoryCurve, AxesHaveRoundMarks) {
  struct Row {
    std::int64_t most;
    std::string unit;
    double step;
  };
  for (const Row& row : {Row{40 * kMiB, "MiB", 10}, Row{kMiB - 1, "KiB", 500}, Row{7, "B", 2},
                         Row{3'500'000'000, "GiB", 1}, Row{1200 * kMiB, "GiB", 0.5}}) {
    const PlotAxis axis = bytes_axis(row.most, 4);
    EXPECT_EQ(axis.unit_name, row.unit) << row.most;
    ASSERT_GE(axis.marks.size(), 2U);
    EXPECT_EQ(axis.marks[1], row.step) << row.most;
    EXPECT_GE(axis.end, static_cast<double>(row.most));
  }
}

TEST(MemoryText, DrawsTheAreaThePhasesAndTheAxes) {
  EXPECT_EQ(memory_to_text(picture(), 52),
            R"(Live memory of one step, rank 0: lm_step model=tiny mode=train_step
peak 40.0 MiB in backward at 50.0 ms
    40 MiB ┤                        ⢸⣿⣿⣿⣿⣿
           │                        ⢸⣿⣿⣿⣿⣿
           │                        ⢸⣿⣿⣿⣿⣿
    30 MiB ┤         ⢸⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
           │         ⢸⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
           │         ⢸⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
    20 MiB ┤    ⢸⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
           │    ⢸⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
           │    ⢸⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
    10 MiB ┤⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
           │⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
           │⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿
         0 └────────────────────────────────────────
            │forward            │backward
            0                        50 ms
)");
}

TEST(MemoryText, IsNothingWithoutATimeline) {
  EXPECT_EQ(memory_to_text({}, 80), "");
  EXPECT_EQ(memory_to_vega_lite({}), "");
}

TEST(MemoryText, FitsTheTerminal) {
  for (const std::size_t width : {40U, 80U, 200U}) {
    std::size_t columns = 0, longest = 0;
    bool drawing = false;
    for (const char c : memory_to_text(picture(), width)) {
      if (c == '\n') {
        if (drawing) longest = std::max(longest, columns);
        columns = 0;
        drawing = true;
      } else if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) {
        ++columns;
      }
    }
    EXPECT_LE(longest, width);
    EXPECT_GE(longest, width - 12) << "the drawing uses the width";
  }
}

TEST(MemoryPlot, WithoutTimesTheAxisIsOfEvents) {
  MemoryPicture events = picture();
  events.by_event = true;
  for (MemoryPoint& each : events.timeline) each.time.ns /= 10;  // 8,000 events
  const std::string text = memory_to_text(events, 80);
  EXPECT_THAT(text, testing::HasSubstr("peak 40.0 MiB in backward at event 5,000\n"));
  EXPECT_THAT(text, testing::HasSubstr("6000 event"));
  const std::string svg = memory_to_svg(events);
  EXPECT_THAT(svg, testing::HasSubstr(", at event 5,000"));
  EXPECT_THAT(svg, testing::HasSubstr(">Event<"));
}

nlohmann::json drawn(const MemoryPicture& picture) {
  return nlohmann::json::parse(memory_to_vega_lite(picture));
}

// The layers that have a mark of this kind.
std::vector<nlohmann::json> layers(const nlohmann::json& spec, const std::string& mark) {
  std::vector<nlohmann::json> found;
  for (const auto& layer : spec["layer"]) {
    if (layer["mark"]["type"] == mark) found.push_back(layer);
  }
  return found;
}

TEST(MemoryVega, StacksTheKindsUnderThePhasesAndNamesThePeak) {
  const auto spec = drawn(picture());
  EXPECT_EQ(spec["title"]["text"], "Live memory of one step, rank 0");
  EXPECT_EQ(spec["title"]["subtitle"], "lm_step model=tiny mode=train_step");
  ASSERT_EQ(layers(spec, "area").size(), 1U);
  const auto area = layers(spec, "area")[0];
  EXPECT_EQ(area["transform"][0]["fold"], nlohmann::json({"weights", "optimizer state", "other"}));
  EXPECT_EQ(area["encoding"]["color"]["scale"]["domain"], area["transform"][0]["fold"]);
  EXPECT_EQ(area["encoding"]["y"]["axis"]["title"], "Memory (MiB)");
  const auto at_peak = nlohmann::json::parse(
      R"({"time": 50.0, "weights": 10.0, "optimizer state": 0.0, "other": 30.0})");
  EXPECT_THAT(spec["data"]["values"], testing::Contains(at_peak));
  std::vector<std::string> phases;
  const auto rects = layers(spec, "rect");
  for (const auto& row : rects.at(0)["data"]["values"]) phases.push_back(row["phase"]);
  EXPECT_THAT(phases, ElementsAre("forward", "backward"));
  EXPECT_EQ(layers(spec, "point")[0]["data"]["values"][0]["label"],
            "peak 40.0 MiB in backward, at 50 ms");
  EXPECT_THAT(layers(spec, "line"), testing::IsEmpty()) << "reserved is what is live";
}

// The label is at the top of the drawing, so nothing drawn may reach there.
TEST(MemoryVega, NothingReachesThePeaksLabel) {
  MemoryPicture reserving = picture();
  reserving.timeline[3].reserved = {64 * kMiB};
  const auto spec = drawn(reserving);
  ASSERT_EQ(layers(spec, "line").size(), 1U);
  const double top = layers(spec, "area")[0]["encoding"]["y"]["scale"]["domain"][1];
  EXPECT_GT(top * (320 - 20) / 320, 64) << "the label's 20 pixels of 320";
  EXPECT_THAT(std::string(spec["title"]["subtitle"]), HasSubstr("dashed: reserved"));
}

// 100,000 changes: the first, and of each stretch the most and the last.
TEST(MemoryVega, ALongStepKeepsItsPeakAndLittleElse) {
  MemoryPicture rising;
  rising.bands = {{"other", {}}};
  for (std::int64_t i = 0; i < 100'000; ++i) {
    const bool peak = i == 54'321;
    rising.timeline.push_back(point(i, "allocate", "forward", peak ? 900 : 1 + i % 2));
    rising.bands[0].bytes.push_back(rising.timeline.back().allocated);
  }
  const auto spec = drawn(rising);
  const auto& rows = spec["data"]["values"];
  EXPECT_LE(rows.size(), 481U);
  EXPECT_GE(rows.size(), 240U);
  EXPECT_THAT(rows,
              testing::Contains(nlohmann::json::parse(R"({"time": 54.321, "other": 900.0})")));
}

TEST(MemoryText, NamesOfStrangersAreHarmless) {
  MemoryPicture hostile = picture();
  hostile.subject = "model=\x1b[31m\u200f";
  hostile.timeline.front().phase = "\u202e";
  const std::string text = memory_to_text(hostile, 80);
  EXPECT_TRUE(is_printable(text)) << text;
}

TEST(MemoryVega, TextsAreData) {
  MemoryPicture hostile = picture();
  hostile.subject = "a \x1b</script>";
  const std::string spec = memory_to_vega_lite(hostile);
  EXPECT_EQ(nlohmann::json::parse(spec)["title"]["subtitle"], "a  </script>");
}

}  // namespace
}  // namespace sweepd
