// Tests the exact message for each kind of mistake in `plots:`, and valid plots.
#include <gmock/gmock.h>

#include "tests/sweepfile/parse.h"

namespace sweepd::test {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

TEST(PlotDiagnostics, EachMistakeIsAtItsPlace) {
  EXPECT_EQ(errors(kHead + "plots:\n"
                           "  - {x: contxt, y: median, color: model, facet: model}\n"
                           "  - title: nothing to show\n"
                           "    mark: pie\n"
                           "    scale: {x: ln, z: log}\n"
                           "    error: {std: box}\n"
                           "    colour: red\n"
                           "  - {mark: heatmap, x: context, color: mean, error: std}\n"
                           "  - x: [context]\n"
                           "    y: mean\n"
                           "    stack: true\n"
                           "    beside:\n"
                           "      - {y: floor}\n"
                           "      - {name: both, x: mean, y: mean}\n"),
            R"(
f.yaml:4:9: error: x: `contxt` is neither a parameter of lm_step nor a column of results
  4 |   - {x: contxt, y: median, color: model, facet: model}
    |         ^~~~~~
    = help: did you mean `context`?

f.yaml:4:49: error: facet: `model` is already the color of this plot
  4 |   - {x: contxt, y: median, color: model, facet: model}
    |                                                 ^~~~~

f.yaml:5:5: error: a plot needs `x`, a parameter or column
  5 |   - title: nothing to show
    |     ^~~~~

f.yaml:5:5: error: a plot needs `y`, a figure such as median
  5 |   - title: nothing to show
    |     ^~~~~

f.yaml:6:11: error: mark: `pie` is not one of line, point, bar, area, heatmap
  6 |     mark: pie
    |           ^~~

f.yaml:7:16: error: scale: `ln` is not one of linear, log
  7 |     scale: {x: ln, z: log}
    |                ^~

f.yaml:7:20: error: `z` is not a key of scale; expected one of x, y
  7 |     scale: {x: ln, z: log}
    |                    ^
    = help: did you mean `x`?

f.yaml:8:18: error: error: `box` is not one of bars, band
  8 |     error: {std: box}
    |                  ^~~

f.yaml:9:5: error: `colour` is not a key of a plot; expected one of title, mark, x, y, color, facet, metric, unit, where, warmup, scale, error, stack, beside, baseline, pool
  9 |     colour: red
    |     ^~~~~~
    = help: did you mean `color`?

f.yaml:10:5: error: a heatmap needs `y`, a parameter or column
  10 |   - {mark: heatmap, x: context, color: mean, error: std}
     |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~

f.yaml:10:46: error: a heatmap has no `error`
  10 |   - {mark: heatmap, x: context, color: mean, error: std}
     |                                              ^~~~~

f.yaml:11:8: error: x: expected a name, or one `name: heading`, found a list
  11 |   - x: [context]
     |        ^~~~~~~~~

f.yaml:13:5: error: `mark: line` has no `stack`
  13 |     stack: true
     |     ^~~~~

f.yaml:15:9: error: a series beside needs a `name`
  15 |       - {y: floor}
     |         ^~~~~~~~~~

f.yaml:16:9: error: a series beside needs `y`, a figure over x, or `x`, a figure where a vertical line stands
  16 |       - {name: both, x: mean, y: mean}
     |         ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
)");
}

TEST(PlotDiagnostics, SectionsOfTheWrongKind) {
  EXPECT_THAT(messages(kHead + "plots: {x: model}\n"),
              ElementsAre(StartsWith("3:8 plots: expected a list of plots, found a map")));
  EXPECT_THAT(
      messages(kHead + "plots: [model]\n"),
      ElementsAre(StartsWith("3:9 plots: expected a map (`name: value`), found a single value")));
  EXPECT_THAT(messages(kHead + "plots: [{x: model, y: mean, beside: {name: a}}]\n"),
              ElementsAre(StartsWith("3:37 beside: expected a list of series, found a map")));
}

TEST(Plots, AreTablesInLongForm) {
  const Sweep sweep =
      one(kHead +
          "matrix: {context: [64, 128], precision: [fp32, bf16], seed: [1, 2]}\n"
          "plots:\n"
          "  - title: Time\n"
          "    x: {context: Length}\n"
          "    y: {median: Time}\n"
          "    color: precision\n"
          "    facet: model\n"
          "    unit: ms\n"
          "    pool: [seed]\n"
          "    scale: {y: log}\n"
          "    error: {min-max: band}\n"
          "    beside:\n"
          "      - {name: steady, x: mean, metric: steady_from, where: {context: 64}}\n"
          "      - {name: Floor, y: floor}\n");
  ASSERT_EQ(sweep.plots.size(), 1U);
  const PlotSpec& plot = sweep.plots.front();
  EXPECT_EQ(plot.shape.mark, PlotMark::kLine);
  EXPECT_EQ(plot.shape.figure, "median");
  EXPECT_EQ(plot.shape.x, "context");
  EXPECT_FALSE(plot.shape.log_x);
  EXPECT_TRUE(plot.shape.log_y);
  EXPECT_EQ(plot.shape.spread, PlotSpread::kMinMax);
  EXPECT_TRUE(plot.shape.band);
  EXPECT_THAT(plot.data.rows, ElementsAre("model", "precision", "context"));
  EXPECT_EQ(plot.data.headings.front().text, "Length");
  ASSERT_EQ(plot.data.values.size(), 2U);
  EXPECT_EQ(plot.data.values[0].name, "Time");
  EXPECT_EQ(plot.data.values[0].cell, "{median}");
  EXPECT_EQ(plot.data.values[1].cell, "{floor}");
  EXPECT_THAT(plot.lines.rows, ElementsAre("model", "precision"));
  ASSERT_EQ(plot.lines.values.size(), 1U);
  EXPECT_EQ(plot.lines.values[0].metric, "steady_from");
  EXPECT_THAT(plot.lines.pool, ElementsAre("seed"));
}

TEST(Plots, AHeatmapHasItsFigureInItsColor) {
  const Sweep sweep = one(kHead +
                          "plots: [{mark: heatmap, x: context, y: model, color: {speedup: Gain}, "
                          "baseline: {precision: fp32}}]\n");
  const PlotSpec& plot = sweep.plots.at(0);
  EXPECT_EQ(plot.shape.figure, "speedup");
  EXPECT_EQ(plot.shape.y, "model");
  EXPECT_EQ(plot.shape.color, "");
  EXPECT_THAT(plot.data.rows, ElementsAre("model", "context"));
  EXPECT_EQ(plot.data.values.at(0).name, "Gain");
}

TEST(Plots, APointPoolsNoDifferentTrialsUnsaid) {
  EXPECT_EQ(errors(kHead + "matrix: {context: [64, 128], precision: [fp32, bf16]}\n"
                           "plots:\n"
                           "  - {x: context, y: mean}\n"),
            R"(
f.yaml:5:5: error: the points of this plot would pool precision (bf16, fp32), which it neither names nor fixes
  5 |   - {x: context, y: mean}
    |     ^~~~~~~~~~~~~~~~~~~~~
    = help: add it to `x`, `color` or `facet`, fix it in `where`, or write `pool: [precision]`
)");
  for (const char* plot :
       {"{x: context, y: mean, color: precision}", "{x: context, y: mean, facet: precision}",
        "{x: context, y: mean, where: {precision: bf16}}",
        "{x: context, y: mean, pool: [precision]}",
        "{mark: heatmap, x: context, y: precision, color: mean}"}) {
    EXPECT_EQ(errors(kHead + "matrix: {context: [64, 128], precision: [fp32, bf16]}\nplots:\n  - " +
                     plot + "\n"),
              "")
        << plot;
  }
}

// Vertical lines have no x, so x must be fixed for them.
TEST(Plots, AVerticalLinePoolsNoX) {
  const std::string head =
      kHead + "matrix: {context: [64, 128]}\nplots:\n  - {x: context, y: mean, beside: [{name: L, ";
  EXPECT_THAT(messages(head + "x: mean}]}\n"),
              ElementsAre(StartsWith("5:5 the points of this plot would pool context (64, 128)")));
  EXPECT_THAT(messages(head + "x: mean, where: {context: 64}}]}\n"), testing::IsEmpty());
}

}  // namespace
}  // namespace sweepd::test
