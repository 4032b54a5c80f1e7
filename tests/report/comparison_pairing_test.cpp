// Tests which dimensions distinguish points and which distinguish the sides of a comparison: hosts,
// devices, code.
#include "runner/report/compare/comparison_pairing.h"

#include <gmock/gmock.h>

#include "runner/report/compare/comparison.h"
#include "tests/report/results_builder.h"

namespace sweepd {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A point that one side measured: its place, its machine and its code.
struct Measured {
  std::vector<std::string> at;
  double level = 100;
  WhatRan ran = {};
};

const WhatRan kAny{"H200", "aaaa", "b1", "2.11", "550"};

WhatRan with(std::string_view name, std::string value) {
  WhatRan ran{"H200", "aaaa", "b1", "2.11", "550"};
  ran.at(index_in_what_ran(name)) = std::move(value);
  return ran;
}

// Three attempts a point; ids are unlike those of a side of another name.
ComparedSide side(const std::string& name, const std::vector<std::string>& dimensions,
                  const std::vector<Measured>& points) {
  ResultsBuilder b;
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    std::vector<std::string> values;
    for (const Measured& point : points) {
      if (std::find(values.begin(), values.end(), point.at[d]) == values.end()) {
        values.push_back(point.at[d]);
      }
    }
    b.text(dimensions[d], values);
  }
  ComparedSide made{name, {}};
  for (const Measured& point : points) {
    for (const double share : {0.999, 1.0, 1.001}) {
      ResultRow& row = b.samples(point.at, {point.level * share, point.level * share});
      row.attempt = name + row.attempt;
      made.ran[row.attempt] = point.ran;
    }
  }
  made.results = b.get();
  return made;
}

ComparedResults compare(const ComparedSide& a, const ComparedSide& b, std::string_view asked = "") {
  auto compared = compare_results(a, b, {}, asked);
  EXPECT_TRUE(compared.ok()) << compared.error().message;
  return compared.ok() ? std::move(*compared) : ComparedResults{};
}

std::vector<std::string> axes_of(const ComparedResults& compared) {
  std::vector<std::string> names;
  for (const Dimension& axis : compared.axes) names.push_back(axis.name);
  return names;
}

TEST(ComparisonPairing, PairAcrossHosts) {
  const auto a = side("a", {"model", "host"}, {{{"small", "alpha"}}, {{"large", "alpha"}, 200}});
  const auto b = side("b", {"model", "host"}, {{{"small", "beta"}, 50}, {{"large", "beta"}, 200}});
  const auto compared = compare(a, b, "host");
  EXPECT_THAT(axes_of(compared), ElementsAre("model"));
  ASSERT_EQ(compared.points.size(), 2U);
  EXPECT_NEAR(*compared.points[0].comparison.ratio, 0.5, 1e-9);
  EXPECT_THAT(compared.differ, ElementsAre("host=alpha against beta"));
}

// Two hosts have the one GPU and a third has the other.
TEST(ComparisonPairing, SeveralHostsOfOneSideAreNoPoints) {
  const auto a = side("a", {"host"}, {{{"alpha"}}, {{"beta"}}});
  const auto b = side("b", {"host"}, {{{"gamma"}}});
  const auto compared = compare(a, b, "device_name");
  EXPECT_THAT(axes_of(compared), IsEmpty());
  ASSERT_EQ(compared.points.size(), 1U);
  EXPECT_EQ(compared.points[0].comparison.a.processes, 6U);
  EXPECT_THAT(compared.differ, ElementsAre("host=alpha and beta against gamma"));
  EXPECT_THAT(compare(a, b, "precision").also_differ, ElementsAre(HasSubstr("host=alpha and")));
}

TEST(ComparisonPairing, HostsThatBothSidesHaveArePoints) {
  const auto a = side("a", {"host"}, {{{"alpha"}}, {{"beta"}, 200}});
  const auto b = side("b", {"host"}, {{{"beta"}, 200}, {{"alpha"}}});
  const auto compared = compare(a, b);
  EXPECT_THAT(axes_of(compared), ElementsAre("host"));
  EXPECT_EQ(compared.points.size(), 2U);
}

TEST(ComparisonPairing, AProgramsCodeIsNoPointIfThereIsOneAtEach) {
  const auto a = side("a", {"script", "code"}, {{{"x.py", "x1"}}, {{"y.py", "y1"}, 200}});
  const auto b = side("b", {"script", "code"}, {{{"x.py", "x2"}}, {{"y.py", "y1"}, 200}});
  const auto compared = compare(a, b);
  EXPECT_THAT(axes_of(compared), ElementsAre("script"));
  EXPECT_EQ(compared.points.size(), 2U);
  EXPECT_THAT(compared.differ, ElementsAre("code=x1 against x2 at 1 of 2 points"));
}

TEST(ComparisonPairing, SeveralCodesAtOnePointArePoints) {
  const auto a = side("a", {"script", "code"}, {{{"x.py", "x1"}}, {{"x.py", "x2"}, 200}});
  const auto b = side("b", {"script", "code"}, {{{"x.py", "x1"}}});
  EXPECT_THAT(axes_of(compare(a, b)), ElementsAre("code"));
}

TEST(SideDifferences, WhatNobodyAskedAboutIsAWarning) {
  const auto a = side("a", {"precision"}, {{{"fp32"}, 100, kAny}});
  const struct {
    std::string_view asked, name;
    bool expected;
  } cases[] = {
      {"precision", "build", false},
      {"precision", "device_name", false},
      {"precision", "driver", false},
      {"precision", "torch", false},
      {"build", "build", true},
      {"build", "code", true},
      {"build", "torch", false},
      {"torch", "torch", true},
      {"host", "device_name", true},
      {"host", "driver", false},
      {"host", "code", false},
      {"device_name", "device_name", true},
      {"device_name", "build", false},
      {"", "device_name", true},
      {"", "build", true},
  };
  for (const auto& c : cases) {
    const auto b = side("b", {"precision"}, {{{"fp32"}, 100, with(c.name, "another")}});
    const auto compared = compare(a, b, c.asked);
    const std::string text =
        std::string(c.name) + "=" + kAny.at(index_in_what_ran(c.name)) + " against another";
    EXPECT_THAT(c.expected ? compared.differ : compared.also_differ, ElementsAre(text)) << c.asked;
    EXPECT_THAT(c.expected ? compared.also_differ : compared.differ, IsEmpty()) << c.asked;
    const Table table = comparison_table(compared, "a", "b", {});
    EXPECT_EQ(table.warnings, c.expected ? 0U : 1U);
    if (c.expected) {
      EXPECT_THAT(table.notes, Contains("the sides differ in " + text));
    } else {
      EXPECT_EQ(table.notes.back(),
                "the sides also differ in " + text + ": every ratio contains that too");
    }
  }
}

// Two sweeps of different parameters were not meant to run different code.
TEST(SideDifferences, BesideAParameterTheBuildOfTwoSweepsIsAWarning) {
  const auto a = side("a", {"precision"}, {{{"fp32"}, 100, kAny}});
  const auto b = side("b", {"precision"}, {{{"bf16"}, 100, with("build", "b2")}});
  const auto compared = compare(a, b);
  EXPECT_THAT(compared.differ, ElementsAre("precision=fp32 against bf16"));
  EXPECT_THAT(compared.also_differ, ElementsAre("build=b1 against b2"));
}

// A has b1 where B has b2, and the other way round.
TEST(SideDifferences, AreFoundPointByPoint) {
  const auto b1 = with("build", "b1"), b2 = with("build", "b2");
  const auto a = side("a", {"model"}, {{{"s"}, 1, b1}, {{"m"}, 1, b2}, {{"l"}, 1, b1}});
  const auto b = side("b", {"model"}, {{{"s"}, 1, b2}, {{"m"}, 1, b1}, {{"l"}, 1, b1}});
  EXPECT_THAT(compare(a, b).differ, ElementsAre("build at 2 of 3 points"));
}

TEST(SideDifferences, WhatIsUnknownDiffersFromNothing) {
  const auto a = side("a", {"model"}, {{{"s"}, 1, kAny}});
  const auto b = side("b", {"model"}, {{{"s"}, 1, with("code", "")}});
  const auto compared = compare(a, b, "precision");
  EXPECT_THAT(compared.differ, IsEmpty());
  EXPECT_THAT(compared.also_differ, IsEmpty());
}

}  // namespace
}  // namespace sweepd
