// Tests which plots are invalid, and their messages.
#include <gmock/gmock.h>

#include "tests/report/plots_fixture.h"

namespace sweepd {
namespace {

using testing::StartsWith;

struct Case {
  PlotWords words;
  std::string message;
};

PlotWords checked_words(const std::string& mark, const std::string& x, const std::string& y,
                        const std::string& color = "") {
  PlotWords words;
  words.mark = mark;
  words.x = x;
  words.y = y;
  words.color = color;
  return words;
}

std::string refusal(const PlotWords& words) {
  const auto spec = plot_from_words(words);
  if (!spec) return spec.error().message;
  const auto valid = validate(*spec, {"context", "precision", "model"}, {});
  return valid ? "" : valid.error().message;
}

TEST(PlotCheck, NamesWhatIsWrongAndWhatWasExpected) {
  PlotWords error = checked_words("line", "context", "tflops"), interval = error, scale = error,
            stacked = error, bar = checked_words("bar", "context", "mean"), beside = bar,
            unit = bar;
  error.error = "std";
  interval = checked_words("line", "context", "median");
  interval.error = "ci95";
  bar.scale = "x=log";
  stacked = checked_words("bar", "context", "mean");
  stacked.stack = true;
  stacked.scale = "y=log";
  beside.beside = {"name=F,y=flor"};
  unit.unit = "sec";
  const std::vector<Case> cases{
      {checked_words("line", "contxt", "mean"),
       "x: there is no column `contxt` (did you mean `context`?)"},
      {checked_words("line", "context", "meen"),
       "y: `meen` is not a figure (did you mean `mean`?)"},
      {checked_words("line", "context", "text"), "y: `text` is not a figure"},
      {checked_words("heatmap", "context", "model", "precision"),
       "color: `precision` is not a figure"},
      {checked_words("heatmap", "context", "mdel", "mean"), "y: there is no column `mdel`"},
      {checked_words("line", "context", "speedup"),
       "y: `speedup` compares, but the plot has no baseline"},
      {error, "error: `tflops` has no std; expected y to be one of mean, median"},
      {interval, "error: ci95 is the interval of a mean; write y: mean"},
      {bar, "scale: the x of a bar names its value"},
      {stacked, "scale: stacked bars have no log scale"},
      {beside, "y: `flor` is not a figure (did you mean `floor`?)"},
      {unit, "unit: `sec` is not a unit"},
  };
  for (const Case& each : cases) EXPECT_THAT(refusal(each.words), StartsWith(each.message));
}

TEST(PlotWords, MistakesOfTheCommandLine) {
  PlotWords no_x = checked_words("line", "", "mean"),
            no_figure = checked_words("heatmap", "context", "model"),
            twice = checked_words("line", "context", "mean", "context"),
            mark = checked_words("pie", "context", "mean"),
            scale = checked_words("line", "context", "mean"), error = scale, form = scale,
            stack = scale, beside = scale, heat = no_figure;
  scale.scale = "ln";
  error.error = "sdt";
  form.error = "std=box";
  stack.stack = true;
  beside.beside = {"y=floor"};
  heat.color = "mean";
  heat.error = "std";
  const std::vector<Case> cases{
      {no_x, "a plot needs --x"},
      {no_figure, "a heatmap needs --color"},
      {twice, "`context` is given twice"},
      {mark, "--mark: `pie` is not a mark; expected one of line, point, bar, area, heatmap"},
      {scale, "--scale: `ln` is not log, x=log or y=log"},
      {error,
       "--error: `sdt` is not a spread; expected one of std, ci95, min-max (did you mean `std`?)"},
      {form, "--error: `box` is not bars or band"},
      {stack, "--mark line has no --stack"},
      {beside, "--beside: `y=floor` needs a name"},
      {heat, "a heatmap has no --scale, --error or --beside"},
  };
  for (const Case& each : cases) EXPECT_THAT(refusal(each.words), StartsWith(each.message));
  EXPECT_EQ(refusal(checked_words("line", "context=Length", "mean=Time", "precision")), "");
}

TEST(PlotPooling, APlotByHandIsRefusedWithOptionsOfPlot) {
  PlotWords words = checked_words("line", "context", "mean");
  ResultsBuilder results;
  results.numbers("context", {"64"}).text("precision", {"fp32", "bf16"});
  results.samples({"64", "fp32"}, {1}).trial = "t1";
  results.samples({"64", "bf16"}, {2}).trial = "t2";
  const auto queries = plot_queries(spec_of(words), {});
  const auto made = pivot(results.get(), queries.data);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message,
            "these points would pool precision (fp32, bf16): add --color precision or "
            "--where precision=fp32, or say --pool precision");
  const Plot declared = plot_of(words, results.get());
  ASSERT_EQ(declared.data.warnings, 2U);
  EXPECT_THAT(
      declared.data.notes,
      testing::Contains(StartsWith("warning: 1 point pools precision (fp32, bf16), which the "
                                   "plot neither names nor fixes; name it in `x`, `color` or")));
}

TEST(PlotCheck, AUnitMayBeThatOfAMetricOfOnesOwn) {
  PlotWords words = checked_words("line", "context", "mean");
  words.metric = "rate";
  words.unit = "M/s";
  const auto spec = plot_from_words(words);
  ASSERT_TRUE(spec);
  MetricDef rate;
  rate.name = "rate";
  rate.unit = "M/s";
  EXPECT_TRUE(validate(*spec, {"context"}, {rate}));
  EXPECT_FALSE(validate(*spec, {"context"}, {}));
}

}  // namespace
}  // namespace sweepd
