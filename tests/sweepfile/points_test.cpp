// Tests which trials a sweep has, and in which order.
#include <gmock/gmock.h>

#include "tests/sweepfile/parse.h"

namespace sweepd::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Expansion expansion(const std::string& text) {
  const Sweep sweep = one(kHead + text);
  return expand(sweep, def_of(sweep));
}

TEST(Points, TheLastAxisIsTheFastest) {
  EXPECT_THAT(labels(kHead + "matrix:\n  context: [64, 256]\n  batch: [1, 2]\n"),
              ElementsAre("context=64 batch=1", "context=64 batch=2", "context=256 batch=1",
                          "context=256 batch=2"));
}

TEST(Points, AllKeysOfARuleMustMatchInTheSamePlaceOfAZip) {
  const Expansion e = expansion(R"(
zip:
  - {d_model: [1, 1, 2], d_ff: [10, 20, 20]}
exclude:
  - {d_model: 1, d_ff: 20}
)");
  EXPECT_THAT(e.excluded, ElementsAre(1));
  EXPECT_EQ(e.trials.size(), 2U);
}

TEST(Points, ZipAdvancesTogetherAndGroupsAreCrossedAfterTheMatrix) {
  EXPECT_THAT(labels(kHead + R"(
zip:
  - {d_model: [1, 2], d_ff: [10, 20]}
  - {layers: [3, 4]}
matrix:
  context: [64, 256]
)"),
              ElementsAre("d_model=1 d_ff=10 layers=3 context=64",   //
                          "d_model=1 d_ff=10 layers=4 context=64",   //
                          "d_model=2 d_ff=20 layers=3 context=64",   //
                          "d_model=2 d_ff=20 layers=4 context=64",   //
                          "d_model=1 d_ff=10 layers=3 context=256",  //
                          "d_model=1 d_ff=10 layers=4 context=256",  //
                          "d_model=2 d_ff=20 layers=3 context=256",  //
                          "d_model=2 d_ff=20 layers=4 context=256"));
}

TEST(Points, ExcludeNeedsEveryKeyAndCountsForItsRule) {
  const Expansion e = expansion(R"(
matrix:
  model: [small, xl]
  context: [64, 256]
exclude:
  - {model: [xl, small], context: 256}
  - {model: xl}
)");
  ASSERT_EQ(e.trials.size(), 1U);
  EXPECT_THAT(e.excluded, ElementsAre(2, 1)) << "small@256 and xl@256 by the first, xl@64 by both";
}

TEST(Points, ExcludeMayNameZippedAndFixedParameters) {
  EXPECT_THAT(labels(kHead + R"(
params: {batch: 8}
zip:
  - {d_model: [1, 2, 3], d_ff: [10, 20, 30]}
exclude:
  - {d_model: [1, 2], d_ff: [20, 30], batch: 8}
  - {d_model: 3, d_ff: 10}
)"),
              ElementsAre("d_model=1 d_ff=10 batch=8", "d_model=3 d_ff=30 batch=8"));
}

TEST(Points, IncludeStandsOnParamsAndIsNeverExcluded) {
  EXPECT_THAT(labels(kHead + R"(
params: {batch: 8}
matrix:
  model: [tiny, xl]
  context: [64, 256]
exclude:
  - {model: xl}
include:
  - {model: xl, context: 64}
  - {precision: bf16, batch: 2}
)"),
              ElementsAre("model=tiny context=64 batch=8",   //
                          "model=tiny context=256 batch=8",  //
                          "model=xl context=64 batch=8",     //
                          // Axes that the point does not name have their defaults: small, 128.
                          "batch=2 precision=bf16"));
}

TEST(Points, IncludeAloneIsAListOfPoints) {
  EXPECT_THAT(labels(kHead + "params: {batch: 8}\ninclude: [{model: xl}, {model: tiny}]\n"),
              ElementsAre("model=xl batch=8", "model=tiny batch=8"));
}

TEST(Points, EqualPointsAreOneTrial) {
  const Expansion e = expansion(R"(
zip:
  - {context: [64, 64000, 64K]}
include:
  - {context: 64}
)");
  EXPECT_EQ(e.trials.size(), 2U);
  EXPECT_EQ(e.duplicates, 2);
}

TEST(Points, SchedulingIsNoIdentityAndTheLargestWins) {
  const Sweep sweep = one(kHead + R"(
include:
  - {model: xl, repeats: 2, priority: 5, timeout: 1h}
  - {model: xl, repeats: 7, priority: -5, timeout: 0}
  - {model: xl, repeats: 3, timeout: 2h}
)");
  const Expansion e = expand(sweep, def_of(sweep));
  ASSERT_EQ(e.trials.size(), 1U);
  EXPECT_EQ(e.duplicates, 2);
  EXPECT_EQ(label_of(def_of(sweep), e.trials[0].trial), "model=xl repeats=7 timeout=0s priority=5");
}

TEST(Points, EverythingExcludedIsAnEmptySweep) {
  const Expansion e = expansion("matrix: {model: [tiny, xl]}\nexclude: [{model: [tiny, xl]}]\n");
  EXPECT_THAT(e.trials, IsEmpty());
  EXPECT_THAT(e.excluded, ElementsAre(2));
}

TEST(Points, TheKeyIsTheModelsKey) {
  const Sweep sweep = one(kHead + "params: {model: xl, context: 512, priority: 3}\n");
  const Expansion e = expand(sweep, def_of(sweep));
  ASSERT_EQ(e.trials.size(), 1U);
  EXPECT_EQ(e.trials[0].key, key_of(def_of(sweep), e.trials[0].trial));
}

TEST(Points, CountingDoesNotOverflow) {
  Sweep sweep;
  for (std::size_t param = 0; param < 8; ++param) {
    sweep.matrix.push_back({param, std::vector<Value>(1000, Value(std::int64_t{1}))});
  }
  EXPECT_EQ(count_points(sweep), INT64_MAX) << "10^24 points";
}

TEST(Device, AutoBecomesWhatIsThere) {
  const auto resolved = [](const std::string& text, std::string_view actual) {
    Sweep sweep = one(kHead + text);
    resolve_device(sweep, def_of(sweep), actual);
    return labels(sweep);
  };
  EXPECT_THAT(resolved("", "cuda"), ElementsAre("device=cuda")) << "the default too";
  EXPECT_THAT(resolved("params: {device: auto}\n", "cpu"), ElementsAre("device=cpu"));
  EXPECT_THAT(resolved("params: {device: cuda}\n", "cpu"), ElementsAre("device=cuda"));
  EXPECT_THAT(resolved("matrix: {device: [auto, cpu]}\n", "cpu"), ElementsAre("device=cpu"));
  EXPECT_THAT(resolved("matrix: {device: [auto, cpu]}\nexclude: [{device: auto}]\n", "cuda"),
              ElementsAre("device=cpu"));
  EXPECT_THAT(resolved("zip: [{device: [auto, cpu], batch: [1, 2]}]\n", "cuda"),
              ElementsAre("batch=1 device=cuda", "batch=2 device=cpu"));
  EXPECT_THAT(resolved("matrix: {device: [cpu]}\ninclude: [{batch: 2}, {device: auto}]\n", "cuda"),
              ElementsAre("device=cpu", "batch=2 device=cuda", "device=cuda"));
}

}  // namespace
}  // namespace sweepd::test
