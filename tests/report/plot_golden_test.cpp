// Compares the drawings of deterministic results with golden files, as Vega-Lite and as text.
//   SWEEPD_UPDATE_GOLDEN=1 build/release/bin/test_report --gtest_filter='PlotGolden*'
// writes them. Look at the pictures of those that changed:
//   tests/report/vega_schema_test.sh --draw FOLDER
#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/report/plots_fixture.h"

namespace sweepd {
namespace {

std::string text_of(const std::string& file) {
  std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

void expect_golden(const std::string& name, const std::string& text) {
  const std::string file = std::string(REPORT_GOLDEN) + "/" + name;
  if (std::getenv("SWEEPD_UPDATE_GOLDEN") != nullptr) std::ofstream(file) << text;
  EXPECT_EQ(text_of(file), text) << "SWEEPD_UPDATE_GOLDEN=1 writes " << file;
}

void expect_drawings(const std::string& name, const Plot& plot) {
  expect_golden(name + ".vl.json", to_vega_lite(plot));
  expect_golden(name + ".txt", to_text(plot, 72));
}

PlotWords words_of(const std::string& title, const std::string& mark, const std::string& x,
                   const std::string& y, const std::string& color = "") {
  PlotWords words;
  words.title = title;
  words.mark = mark;
  words.x = x;
  words.y = y;
  words.color = color;
  return words;
}

TEST(PlotGolden, LinesOnLogAxesWithAFloorAndAWord) {
  PlotWords words =
      words_of("Time over context", "line", "context=Context length", "median=Time", "precision");
  words.scale = "log";
  words.error = "min-max";
  words.beside = {"name=Floor,y=floor"};
  expect_drawings("lines", plot_of(words, times_over_context()));
}

TEST(PlotGolden, ABandAndFacets) {
  PlotWords words = words_of("By precision", "line", "context", "mean");
  words.facet = "precision=Precision";
  words.error = "std=band";
  expect_drawings("facets", plot_of(words, times_over_context()));
}

TEST(PlotGolden, BarsSideBySide) {
  PlotWords words = words_of("Bars", "bar", "context", "mean", "precision");
  words.error = "std";
  words.beside = {"name=Floor,y=floor"};
  expect_drawings("bars", plot_of(words, times_over_context()));
}

TEST(PlotGolden, BarsOnTopOfEachOtherLieWhereNamesAreLong) {
  ResultsBuilder results("kernel_time", "ms");
  results.text("model", {"a model with a name", "another model"})
      .text("class", {"matmul", "softmax"});
  results.samples({"a model with a name", "matmul"}, {4});
  results.samples({"a model with a name", "softmax"}, {2});
  results.samples({"another model", "matmul"}, {3});
  results.ended({"another model", "softmax"}, Outcome::kTimeout);
  PlotWords words = words_of("Kernels", "bar", "model", "mean", "class");
  words.stack = true;
  expect_drawings("stacked", plot_of(words, results.get()));
}

TEST(PlotGolden, AHeatmapOfSpeedUps) {
  PlotWords words = words_of("Speed-up", "heatmap", "context", "precision", "speedup=Speed-up");
  words.baseline = {"precision=fp32"};
  expect_drawings("heatmap", plot_of(words, times_over_context()));
}

TEST(PlotGolden, PointsOverNames) {
  ResultsBuilder results("loss", "");
  results.text("optimizer", {"sgd", "adam"});
  results.samples({"sgd"}, {2.5});
  results.samples({"adam"}, {1.5});
  expect_drawings("points", plot_of(words_of("", "point", "optimizer", "mean"), results.get()));
}

TEST(PlotGolden, StepsWithTheSteadyOneMarked) {
  ResultsBuilder results, lines("steady_from", "");
  std::vector<std::string> steps;
  for (int step = 0; step < 30; ++step) steps.push_back(std::to_string(step));
  results.numbers("step", steps);
  for (int step = 0; step < 30; ++step) {
    results.samples({steps[static_cast<std::size_t>(step)]}, {10 + 90.0 / (1 + step * step)});
  }
  lines.text("pass", {"timing"});
  lines.samples({"timing"}, {4});
  PlotWords words = words_of("Warm-up", "line", "step=Step", "mean");
  words.beside = {"name=steady,x=mean,metric=steady_from"};
  expect_drawings("steady", plot_of(words, results.get(), &lines.get()));
}

TEST(PlotGolden, AreasAreStacked) {
  expect_drawings("areas", plot_of(words_of("Areas", "area", "context", "mean", "precision"),
                                   times_over_context()));
}

TEST(PlotGolden, NothingThatHasAFigure) {
  ResultsBuilder results;
  results.numbers("context", {"64", "128"});
  results.pending({"64"});
  results.ended({"128"}, Outcome::kFailed, "no such file");
  expect_drawings("words", plot_of(words_of("Failed", "line", "context", "mean"), results.get()));
  ResultsBuilder empty;
  empty.numbers("context", {});
  expect_drawings("empty", plot_of(words_of("Empty", "line", "context", "mean"), empty.get()));
}

// Vega cuts off text wider than the plot.
TEST(PlotGolden, ALongTitleHasSeveralLines) {
  ResultsBuilder results;
  results.numbers("context", {"64"});
  results.samples({"64"}, {1});
  const std::string title = "Forward and backward over the context, beside the least time that " +
                            std::string("the device allows");
  const std::string spec =
      to_vega_lite(plot_of(words_of(title, "line", "context", "mean"), results.get()));
  const auto text = nlohmann::json::parse(spec)["title"]["text"];
  EXPECT_EQ(text, (nlohmann::json{"Forward and backward over the context, beside the least time",
                                  "that the device allows"}));
}

// Names come from files and programs: they may be no UTF-8, move a cursor, or look like code.
TEST(PlotGolden, HostileNamesStayTexts) {
  ResultsBuilder results;
  results.text("model", {"</script><script>alert(1)</script>", "\xff\x1b[2J", "datum['x']"});
  for (const char* model : {"</script><script>alert(1)</script>", "\xff\x1b[2J", "datum['x']"}) {
    results.samples({model}, {1});
  }
  const Plot plot = plot_of(words_of("<b>\x1b[31m", "bar", "model", "mean"), results.get());
  expect_golden("hostile.vl.json", to_vega_lite(plot));
  EXPECT_THAT(to_text(plot, 72), testing::Not(testing::HasSubstr("\x1b")));
}

}  // namespace
}  // namespace sweepd
