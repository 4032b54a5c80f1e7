// Tests the pictures of a memory timeline, from literal points.
#include "runner/report/memory_plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "runner/report/memory_curve.h"

namespace sweepd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

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
  return {0,
          "lm_step model=tiny mode=train_step",
          {point(0, "phase", "step", 10), point(0, "phase", "forward", 10),
           point(10, "allocate", "forward", 20), point(20, "allocate", "forward", 30),
           point(40, "phase", "backward", 30), point(50, "allocate", "backward", 40),
           point(60, "free", "backward", 20), point(80, "phase", "step", 20)},
          {{"weights", Bytes{10 * kMiB}}}};
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
  EXPECT_EQ(memory_to_svg({}), "");
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

TEST(MemorySvg, IsAFileWithPhasesPeakHeldStateAndLegend) {
  const std::string svg = memory_to_svg(picture());
  EXPECT_THAT(svg, testing::StartsWith("<svg xmlns="));
  EXPECT_THAT(svg, testing::EndsWith("</svg>\n"));
  EXPECT_THAT(svg, HasSubstr(">forward</text>"));
  EXPECT_THAT(svg, HasSubstr(">backward</text>"));
  EXPECT_THAT(svg, HasSubstr("peak 40.0 MiB in backward"));
  EXPECT_THAT(svg, HasSubstr("weights 10.0 MiB"));
  EXPECT_THAT(svg, Not(HasSubstr("reserved"))) << "equal to what is live, so no line of its own";
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

TEST(MemorySvg, ReservedHasALineWhereItDiffers) {
  MemoryPicture drawn = picture();
  drawn.timeline[3].reserved = {64 * kMiB};
  EXPECT_THAT(memory_to_svg(drawn), HasSubstr("reserved by the allocator"));
}

TEST(MemorySvg, TextIsEscaped) {
  MemoryPicture drawn = picture();
  drawn.subject = "a<b & \"c\"";
  EXPECT_THAT(memory_to_svg(drawn), HasSubstr("a&lt;b &amp; &quot;c&quot;"));
}

}  // namespace
}  // namespace sweepd
