// Tests how the points of a plan become lines of sizes.
#include "runner/client/render/frontier_grid.h"

#include <gmock/gmock.h>

#include "runner/model/vocabulary/param.h"

namespace sweepd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct GridParams {
  std::string model = "small";
  std::int64_t context = 128;
  std::string precision = "fp32";
  std::int64_t width = 0;  // 0: the model's value
  void visit(auto& field) {
    field("model", model, "", one_of({"small", "large", "xl"}), GrowsMemory());
    field("context", context, "", at_least(1), GrowsMemory());
    field("precision", precision, "", one_of({"fp32", "bf16"}));
    field("width", width, "", at_least(0), GrowsMemory());
  }
};

WorkloadDef growing() {
  WorkloadDef def;
  def.name = "grower";
  def.params = describe_params<GridParams>();
  return def;
}

SweepPlan plan_of(const std::vector<std::pair<std::vector<std::string>, bool>>& points) {
  SweepPlan plan;
  plan.name = "lm";
  plan.axes = {{"context", {}, 3}, {"model", {}, 2}, {"precision", {}, 1}};
  for (const auto& [values, fits] : points) {
    PlannedTrial trial;
    trial.values = values;
    trial.fits = fits;
    plan.rows.push_back(std::move(trial));
  }
  return plan;
}

TEST(FrontierGrid, HasALineForEachCombinationOfTheOthersAndSortsItsSizes) {
  const auto grid = frontier_grid(plan_of({{{"1024", "small", "fp32"}, true},
                                           {{"64", "small", "fp32"}, true},
                                           {{"256", "small", "fp32"}, true},
                                           {{"64", "xl", "fp32"}, true},
                                           {{"256", "xl", "fp32"}, false}}),
                                  growing(), "context");
  ASSERT_TRUE(grid) << grid.error().message;
  ASSERT_EQ(grid->lines.size(), 2U);
  EXPECT_THAT(grid->others, ElementsAre("model", "precision"));
  EXPECT_THAT(grid->lines[0].sizes, ElementsAre("64", "256", "1024"));
  EXPECT_EQ(grid->lines[0].start, 2U);
  EXPECT_THAT(grid->lines[1].others, ElementsAre("xl", "fp32"));
  EXPECT_EQ(grid->lines[1].start, 0U) << "by formula 256 does not fit";
  EXPECT_THAT(grid->sets(grid->lines[1], 1),
              ElementsAre("context=256", "model=xl", "precision=fp32"));
}

TEST(FrontierGrid, ChoicesAreSortedAsTheWorkloadHasThem) {
  const auto grid = frontier_grid(plan_of({{{"64", "xl", "fp32"}, false},
                                           {{"64", "large", "fp32"}, false},
                                           {{"64", "small", "fp32"}, false}}),
                                  growing(), "model");
  ASSERT_TRUE(grid) << grid.error().message;
  EXPECT_THAT(grid->lines.at(0).sizes, ElementsAre("small", "large", "xl"));
  EXPECT_EQ(grid->lines[0].start, 0U) << "none fits by formula: the smallest is tried first";
}

TEST(FrontierGrid, MistakesNameTheAxisAndWhatWasExpected) {
  const auto mistake = [](const std::string& axis, const std::string& value = "64") {
    const auto grid = frontier_grid(plan_of({{{value, "small", "fp32"}, true}}), growing(), axis);
    return grid ? "" : grid.error().message;
  };
  EXPECT_THAT(mistake("contxt"), HasSubstr("`grower` has no parameter `contxt`; expected `context` "
                                           "or `model`"));
  EXPECT_THAT(mistake("precision"), HasSubstr("a larger `precision` of `grower` needs no more"));
  SweepPlan one = plan_of({});
  one.axes[0].distinct = 1;
  EXPECT_THAT(frontier_grid(one, growing(), "context").error().message,
              HasSubstr("`context` has one value in sweep `lm`; give several"));
  one.axes.erase(one.axes.begin());
  EXPECT_THAT(frontier_grid(one, growing(), "context").error().message, HasSubstr("has one value"));
  EXPECT_THAT(mistake("context", "6,4"), HasSubstr("`6,4` of an axis has a comma"));
}

TEST(FrontierGrid, AValueThatStandsForAnotherHasNoPlaceAmongTheSizes) {
  SweepPlan plan;
  plan.axes = {{"width", {}, 2}};
  for (const char* width : {"64", "0"}) {
    plan.rows.emplace_back();
    plan.rows.back().values = {width};
  }
  const auto grid = frontier_grid(plan, growing(), "width");
  ASSERT_FALSE(grid);
  EXPECT_THAT(grid.error().message, HasSubstr("width=0 stands for another value"));
}

TEST(FrontierName, IsOneThatASweepMayHave) {
  EXPECT_EQ(with_frontier_name("sweep: lm  # mine\nworkload: noop\n"),
            "sweep: lm-frontier  # mine\nworkload: noop\n");
  EXPECT_EQ(with_frontier_name("a: b\nsweep: 'lm'\n"), "a: b\nsweep: 'lm-frontier'\n");
  const std::string fits(55, 'a'), long_one(56, 'a');
  EXPECT_EQ(with_frontier_name("sweep: " + fits), "sweep: " + fits + "-frontier");
  const std::string cut = with_frontier_name("sweep: " + long_one);
  EXPECT_EQ(cut.size(), std::string("sweep: ").size() + 64);
  EXPECT_NE(cut, with_frontier_name("sweep: " + long_one + "b")) << "equal in what is left";
}

}  // namespace
}  // namespace sweepd
