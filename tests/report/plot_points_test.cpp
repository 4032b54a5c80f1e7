// Tests which points a plot has: their figures, the ends of their spread, and words in place of
// figures.
#include "runner/report/plot/plot_points.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "tests/report/plots_fixture.h"

namespace sweepd {
namespace {

using report::PlotPoints;
using testing::ElementsAre;

// "fp32 128: 10 [9, 11]", "fp32 512: OOM", "Floor fp32 128: 0.01"
std::vector<std::string> texts(const PlotPoints& points) {
  std::vector<std::string> all;
  for (const auto& point : points.points) {
    std::string text = point.series.empty() ? "" : point.series + " ";
    if (!point.facet.empty()) text += point.facet + " ";
    if (!point.color.empty()) text += point.color + " ";
    text += point.x + ": " + (point.figure ? fmt::format("{:g}", *point.figure) : point.word);
    if (point.low && point.high) text += fmt::format(" [{:g}, {:g}]", *point.low, *point.high);
    all.push_back(text);
  }
  return all;
}

PlotWords over_context() {
  PlotWords words;
  words.x = "context";
  words.y = "median";
  words.color = "precision";
  return words;
}

TEST(PlotPoints, ReadFiguresAndWords) {
  const Plot plot = plot_of(over_context(), times_over_context());
  const PlotPoints points(plot);
  EXPECT_THAT(texts(points), ElementsAre("fp32 128: 10", "fp32 256: 20", "fp32 512: OOM",
                                         "bf16 128: 3", "bf16 256: 6", "bf16 512: 9"));
  EXPECT_EQ(points.figure_title, "time (ms)");
  EXPECT_EQ(points.points[0].n, "3");
  EXPECT_EQ(points.points[0].attempt, "a1");
  EXPECT_EQ(points.points[2].attempt, "a3");
  EXPECT_EQ(points.points[2].outcome, "oom");
  EXPECT_TRUE(points.numeric_x);
  EXPECT_EQ(plot.caption, "median of time, n = 3");
}

TEST(PlotPoints, SpreadsReachAsFarAsTheySay) {
  PlotWords words = over_context();
  words.where = {"precision=bf16"};
  words.error = "min-max=band";
  EXPECT_THAT(texts(PlotPoints(plot_of(words, times_over_context()))),
              testing::Contains("bf16 128: 3 [2, 4]"));
  EXPECT_EQ(plot_of(words, times_over_context()).caption,
            "median of time, precision = bf16, n = 3; band: from min to max");
  words.error = "std";
  EXPECT_THAT(texts(PlotPoints(plot_of(words, times_over_context()))),
              testing::Contains("bf16 256: 6 [5, 7]"));
  words.error = "ci95";  // one attempt has no interval
  EXPECT_THAT(texts(PlotPoints(plot_of(words, times_over_context()))),
              testing::Contains("bf16 256: 6"));
}

TEST(PlotPoints, SeriesBesideHaveTheirNames) {
  PlotWords words = over_context();
  words.error = "std";
  words.beside = {"name=Floor,y=floor"};
  const PlotPoints points(plot_of(words, times_over_context()));
  EXPECT_THAT(texts(points), testing::IsSupersetOf({"Floor fp32 128: 4", "Floor bf16 512: 3.6"}));
  EXPECT_THAT(points.series, ElementsAre("Floor"));
}

TEST(PlotPoints, AnInvalidFigureIsAWordAndAMissingPointIsNone) {
  ResultsBuilder results;
  results.numbers("context", {"64", "128", "256", "512"});
  ResultRow& invalid = results.samples({"64"}, {1, 1});
  invalid.verdict = Verdict::kInvalid;
  invalid.note = "faster than the device";
  results.samples({"128"}, {2, 2}).verdict = Verdict::kSuspect;
  results.pending({"256"});
  PlotWords words;
  words.x = "context";
  words.y = "mean";
  const Plot plot = plot_of(words, results.get());
  EXPECT_THAT(texts(PlotPoints(plot)), ElementsAre("64: invalid", "128: 2", "256: …"));
  EXPECT_EQ(PlotPoints(plot).points[1].verdict, "suspect");
}

TEST(PlotPoints, VerticalLinesStandWhereTheirFiguresAre) {
  ResultsBuilder lines("steady_from", "");
  lines.text("pass", {"timing"}).text("precision", {"fp32", "bf16"});
  lines.samples({"timing", "fp32"}, {3});
  lines.samples({"timing", "bf16"}, {5});
  ResultsBuilder results;
  results.numbers("step", {"0", "1"}).text("precision", {"fp32", "bf16"});
  for (const char* step : {"0", "1"}) {
    for (const char* precision : {"fp32", "bf16"}) results.samples({step, precision}, {1});
  }
  PlotWords words;
  words.x = "step";
  words.y = "mean";
  words.color = "precision";
  words.beside = {"name=steady,x=mean,metric=steady_from"};
  const PlotPoints points(plot_of(words, results.get(), &lines.get()));
  ASSERT_EQ(points.lines.size(), 2U);
  EXPECT_EQ(points.lines[1].color, "bf16");
  EXPECT_EQ(points.lines[1].x, 5);
  words.color = "";
  words.pool = {"all"};
  words.where = {"precision=fp32"};
  const Plot plain = plot_of(words, results.get(), &lines.get());
  EXPECT_EQ(plain.lines.columns.front().name, "steady") << "the row that stands for none is gone";
}

TEST(PlotPoints, SizesAreNumbersInTheirOrder) {
  ResultsBuilder results("busbw", "GB/s");
  results.text("bytes", {"1MB", "64KB", "250KiB"});
  for (const char* size : {"1MB", "64KB", "250KiB"}) results.samples({size}, {1});
  PlotWords words;
  words.x = "bytes";
  words.y = "mean";
  const PlotPoints points(plot_of(words, results.get()));
  EXPECT_THAT(points.xs, ElementsAre("64KB", "250KiB", "1MB"));
  EXPECT_TRUE(points.bytes_x);
  EXPECT_EQ(points.points[0].x_number, 1e6);
}

TEST(PlotPoints, ALogScaleHasNoPlaceForZeroAndSaysSo) {
  ResultsBuilder results;
  results.numbers("warmup", {"0", "1", "2"});
  results.samples({"0"}, {1});
  results.samples({"1"}, {0});
  results.samples({"2"}, {3});
  PlotWords words;
  words.x = "warmup";
  words.y = "mean";
  words.scale = "log";
  const Plot plot = plot_of(words, results.get());
  EXPECT_EQ(plot.caption,
            "mean of time, n = 1; 2 points at zero or below have no place on the log scale");
  const auto spec = nlohmann::json::parse(to_vega_lite(plot));
  ASSERT_EQ(spec["data"]["values"].size(), 1U);
  EXPECT_EQ(spec["data"]["values"][0]["x"], 2);
  EXPECT_EQ(spec["layer"][0]["encoding"]["x"]["axis"]["values"], nlohmann::json({2.0}));
  EXPECT_THAT(to_text(plot, 80), testing::HasSubstr("●"));
}

TEST(PlotPoints, AFigureThatIsNotFiniteIsAWord) {
  ResultsBuilder results("loss", "");
  results.numbers("step", {"1", "2"});
  results.samples({"1"}, {std::numeric_limits<double>::infinity()});
  results.samples({"2"}, {3});
  PlotWords words;
  words.x = "step";
  words.y = "mean";
  words.mark = "bar";
  const Plot plot = plot_of(words, results.get());
  EXPECT_THAT(texts(PlotPoints(plot)), ElementsAre("1: inf", "2: 3"));
  EXPECT_THAT(to_text(plot, 80), testing::HasSubstr("1  inf"));
}

TEST(PlotPoints, NamesHaveAPlaceOnALogScale) {
  ResultsBuilder results;
  results.text("model", {"small", "large"});
  results.samples({"small"}, {1});
  results.samples({"large"}, {10});
  PlotWords words;
  words.x = "model";
  words.y = "mean";
  words.scale = "log";
  const Plot plot = plot_of(words, results.get());
  EXPECT_EQ(plot.caption, "mean of time, n = 1");
  EXPECT_THAT(to_text(plot, 80), testing::HasSubstr("small"));
}

TEST(PlotPoints, NoResultsAreNoPoints) {
  ResultsBuilder results;
  results.numbers("context", {}).text("precision", {});
  const Plot plot = plot_of(over_context(), results.get());
  EXPECT_TRUE(PlotPoints(plot).points.empty());
  EXPECT_EQ(plot.caption, "median of time");
  EXPECT_EQ(to_text(plot, 80), "No points.\n");
}

}  // namespace
}  // namespace sweepd
