// Tests plots and timelines as SVG: that they are XML, name their points, and fit their frame.
#include <gmock/gmock.h>

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <sstream>

#include "runner/report/plot/memory_plot.h"
#include "runner/report/plot/svg_scale.h"
#include "tests/report/plots_fixture.h"

namespace sweepd {
namespace {

using boost::property_tree::ptree;
using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::Ge;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Le;
using testing::Not;
using testing::SizeIs;

// Fails the test unless it is well-formed.
ptree parsed_svg(const std::string& svg) {
  ptree tree;
  std::istringstream stream(svg_file(svg));
  EXPECT_NO_THROW(boost::property_tree::read_xml(stream, tree)) << svg;
  return tree;
}

void collect(const ptree& tree, const std::string& element, const std::string& attribute,
             std::vector<double>& found) {
  for (const auto& [name, child] : tree) {
    if (name == element) found.push_back(child.get("<xmlattr>." + attribute, -1e9));
    collect(child, element, attribute, found);
  }
}

std::vector<double> values_of(const std::string& svg, const std::string& element,
                              const std::string& attribute) {
  std::vector<double> found;
  collect(parsed_svg(svg), element, attribute, found);
  return found;
}

std::size_t times_in(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++count;
  return count;
}

PlotWords svg_words(const std::string& mark, const std::string& x, const std::string& y,
                    const std::string& color = "") {
  PlotWords words;
  words.title = "Time & more";
  words.mark = mark;
  words.x = x;
  words.y = y;
  words.color = color;
  return words;
}

TEST(Svg, EveryPointTellsWhatItIs) {
  PlotWords words = svg_words("line", "context=Context length", "median=Time", "precision");
  words.scale = "log";
  words.error = "min-max";
  words.beside = {"name=Floor,y=floor"};
  const std::string svg = to_svg(plot_of(words, times_over_context()));
  EXPECT_EQ(times_in(svg, "<circle"), 2 * 5U) << "a dot and where it is hit, for each figure";
  EXPECT_THAT(svg, AllOf(HasSubstr(">Time &amp; more</text>"), HasSubstr(">fp32</text>"),
                         HasSubstr("<title>precision: fp32&#10;Context length: 128&#10;Time (ms): "
                                   "10&#10;from: 9 to 11&#10;n: 3"),
                         HasSubstr("attempt: a1"), HasSubstr(">Floor</text>"),
                         HasSubstr("stroke-dasharray=\"5 3\""), HasSubstr(">OOM</text>"),
                         HasSubstr(">Time (ms), log scale</text>")));
  EXPECT_THAT(svg,
              AllOf(Not(HasSubstr("http")), Not(HasSubstr("<script")), Not(HasSubstr("<style"))));
}

TEST(Svg, EveryMarkFitsItsPicture) {
  std::vector<PlotWords> plots;
  for (const char* mark : {"line", "point", "bar", "area"}) {
    plots.push_back(svg_words(mark, "context", "mean", "precision"));
    plots.push_back(svg_words(mark, "context", "mean"));
    plots.back().facet = "precision";
    plots.back().error = "std";
  }
  plots.push_back(svg_words("bar", "context", "mean", "precision"));
  plots.back().stack = true;
  plots.push_back(svg_words("heatmap", "context", "precision", "mean"));
  for (const PlotWords& words : plots) {
    const std::string svg = to_svg(plot_of(words, times_over_context()));
    const ptree tree = parsed_svg(svg);
    const auto width = tree.get<double>("svg.<xmlattr>.width");
    const auto height = tree.get<double>("svg.<xmlattr>.height");
    const std::string about = words.mark + " " + words.facet;
    for (const char* x : {"x1", "x2"}) {
      EXPECT_THAT(values_of(svg, "line", x), Each(AllOf(Ge(0), Le(width)))) << about;
    }
    for (const char* y : {"y1", "y2"}) {
      EXPECT_THAT(values_of(svg, "line", y), Each(AllOf(Ge(0), Le(height)))) << about;
    }
    EXPECT_THAT(values_of(svg, "circle", "cx"), Each(AllOf(Ge(0), Le(width)))) << about;
    EXPECT_THAT(values_of(svg, "circle", "cy"), Each(AllOf(Ge(0), Le(height)))) << about;
    EXPECT_THAT(values_of(svg, "text", "y"), Each(AllOf(Ge(0), Le(height)))) << about;
    EXPECT_THAT(svg, HasSubstr(">OOM</text>")) << about;
  }
}

TEST(Svg, BarsOfLongNamesLie) {
  ResultsBuilder results;
  results.text("model", {"a model with a name", "b"});
  results.samples({"a model with a name"}, {4});
  results.samples({"b"}, {2});
  const std::string svg = to_svg(plot_of(svg_words("bar", "model", "mean"), results.get()));
  const std::vector<double> widths = values_of(svg, "rect", "width");
  ASSERT_THAT(widths, SizeIs(3)) << "the background, and two bars";
  EXPECT_NEAR(widths[1], 2 * widths[2], 0.2);
  EXPECT_THAT(svg, HasSubstr("text-anchor=\"end\">a model with a name</text>"));
}

TEST(Svg, AFigureThatIsZeroHasNoPlaceOnALogScale) {
  ResultsBuilder results;
  results.numbers("context", {"1", "2", "4"});
  results.samples({"1"}, {0});
  results.samples({"2"}, {10});
  results.samples({"4"}, {100});
  PlotWords words = svg_words("line", "context", "mean");
  words.scale = "log";
  EXPECT_EQ(times_in(to_svg(plot_of(words, results.get())), "<circle"), 2 * 2U);
}

TEST(Svg, NothingToDraw) {
  ResultsBuilder empty;
  empty.numbers("context", {});
  EXPECT_THAT(to_svg(plot_of(svg_words("line", "context", "mean"), empty.get())),
              HasSubstr("No points."));
  ResultsBuilder words;
  words.numbers("context", {"128"});
  words.ended({"128"}, Outcome::kOom);
  for (const char* mark : {"line", "bar", "area"}) {
    const std::string svg = to_svg(plot_of(svg_words(mark, "context", "mean"), words.get()));
    EXPECT_THAT(svg, AllOf(HasSubstr(">OOM</text>"), Not(HasSubstr("nan")), Not(HasSubstr("inf"))));
    parsed_svg(svg);
  }
}

// Names come from files and programs: they may be no UTF-8, move a cursor, or look like markup.
TEST(Svg, HostileNamesStayTexts) {
  ResultsBuilder results;
  results.text("model", {"</text><script>alert(1)</script>", "\xff\x1b[2J", "' onload='x"});
  for (const char* model : {"</text><script>alert(1)</script>", "\xff\x1b[2J", "' onload='x"}) {
    results.samples({model}, {1});
  }
  for (const char* mark : {"bar", "line"}) {
    PlotWords words = svg_words(mark, "model", "mean", "model");
    words.color = "";
    words.title = "<b>\x1b[31m";
    const std::string svg = to_svg(plot_of(words, results.get()));
    EXPECT_THAT(svg,
                AllOf(Not(HasSubstr("<script")), Not(HasSubstr("\x1b")), Not(HasSubstr("\xff")),
                      Not(HasSubstr("' onload")), HasSubstr("&lt;b&gt; [31m")));
    parsed_svg(svg);
  }
}

TEST(Svg, ATimelineHasItsPhasesItsKindsAndItsPeak) {
  constexpr std::int64_t kMillisecond = 1'000'000, kMebibyte = 1 << 20;
  const auto point = [&](std::int64_t ms, const char* action, const char* phase, std::int64_t mib) {
    MemoryPoint p;
    p.time = {ms * kMillisecond};
    p.action = action;
    p.phase = phase;
    p.allocated = {mib * kMebibyte};
    p.reserved = {(mib + 1) * kMebibyte};
    return p;
  };
  const MemoryPicture picture{
      0,
      "lm_step <tiny>",
      {point(0, "phase", "forward", 10), point(10, "allocate", "forward", 30),
       point(20, "phase", "backward", 20), point(80, "phase", "step", 20)},
      {{"weights", std::vector<Bytes>(4, {10 * kMebibyte})},
       {"optimizer_state", {{0}, {20 * kMebibyte}, {10 * kMebibyte}, {10 * kMebibyte}}}}};
  const std::string svg = memory_to_svg(picture);
  parsed_svg(svg);
  EXPECT_THAT(svg, AllOf(HasSubstr("lm_step &lt;tiny&gt;"), HasSubstr(">phase: backward<"),
                         HasSubstr(">optimizer state</text>"), HasSubstr(">MiB</text>"),
                         HasSubstr("peak 30.0 MiB in forward, at 10 ms</text>"),
                         HasSubstr("reserved by the allocator")));
  EXPECT_EQ(memory_to_svg({}), "");
}

TEST(SvgScale, NamesRoundValues) {
  using report::SvgScale;
  EXPECT_THAT(SvgScale::of_figures({3, 97}, 100, false).marks(5),
              ElementsAre(0, 20, 40, 60, 80, 100));
  EXPECT_THAT(SvgScale::of_figures({-2, 3}, 100, false).marks(5), ElementsAre(-2, -1, 0, 1, 2, 3));
  EXPECT_THAT(SvgScale::of_figures({}, 100, false).marks(2), SizeIs(6));
  EXPECT_THAT(SvgScale(1, 1000, 100, 0, true).marks(5), ElementsAre(1, 10, 100, 1000));
  EXPECT_THAT(SvgScale(1, 20, 100, 0, true).marks(5), ElementsAre(1, 2, 5, 10, 20));
  EXPECT_THAT(SvgScale(3, 4, 100, 0, true).marks(2), Not(IsEmpty()));
}

TEST(SvgScale, PlacesValuesBetweenItsEnds) {
  using report::SvgScale;
  const SvgScale linear(10, 20, 120, 10, false), log(1, 100, 100, 0, true);
  EXPECT_DOUBLE_EQ(linear.at(10), 10);
  EXPECT_DOUBLE_EQ(linear.at(15), 60);
  EXPECT_DOUBLE_EQ(log.at(10), 50);
  EXPECT_DOUBLE_EQ(log.at(0), 0) << "an error bar that reaches below";
  EXPECT_DOUBLE_EQ(SvgScale(5, 5, 100, 0, false).at(5), 50);
  EXPECT_EQ(report::short_number(1234567), "1.235M");
  EXPECT_EQ(report::short_number(0.25), "0.25");
}

}  // namespace
}  // namespace sweepd
