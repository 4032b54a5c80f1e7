// Tests that `--set` makes a file for a large machine run small, without editing it.
#include <gmock/gmock.h>

#include "tests/sweepfile/parse.h"

namespace sweepd::test {
namespace {

using testing::ElementsAre;

const std::string kMatrix = kHead + "matrix:\n  model: [small, xl]\n  batch: [1, 2]\n";
const std::string kZip = kHead + "zip:\n  - {d_model: [1, 2], d_ff: [10, 20]}\n";

TEST(Override, OneValueFixesAnAxis) {
  EXPECT_THAT(labels(kMatrix, {"model=tiny"}),
              ElementsAre("model=tiny batch=1", "model=tiny batch=2"));
  EXPECT_THAT(labels(kMatrix, {"model=tiny", "batch=8"}), ElementsAre("model=tiny batch=8"));
}

TEST(Override, SeveralValuesTakeThePlaceOfTheAxis) {
  EXPECT_THAT(labels(kMatrix, {"model=tiny,medium"}),
              ElementsAre("model=tiny batch=1", "model=tiny batch=2", "model=medium batch=1",
                          "model=medium batch=2"));
}

TEST(Override, SeveralValuesOfWhatWasNoAxisAreTheLastMatrixAxis) {
  EXPECT_THAT(
      labels(kHead + "params: {context: 512}\nmatrix: {batch: [1, 2]}\n", {"context=64, 256"}),
      ElementsAre("context=64 batch=1", "context=256 batch=1", "context=64 batch=2",
                  "context=256 batch=2"));
  EXPECT_THAT(labels(kZip, {"batch=1,2"}),
              ElementsAre("d_model=1 d_ff=10 batch=1", "d_model=2 d_ff=20 batch=1",
                          "d_model=1 d_ff=10 batch=2", "d_model=2 d_ff=20 batch=2"));
}

TEST(Override, ReplacesParamsAndDefaults) {
  EXPECT_THAT(labels(kHead + "params: {context: 512}\n", {"context=64", "timeout=5m"}),
              ElementsAre("context=64 timeout=5m"));
}

TEST(Override, WhereItFitsItIsNoMistakeThatNothingHasIt) {
  const std::vector<Override> sets{{"model", "tiny", true}, {"modle", "tiny", true}};
  const Parsed parsed = parse_sweeps(kMatrix, "f.yaml", catalog(), sets);
  EXPECT_THAT(parsed.errors, testing::IsEmpty());
  EXPECT_THAT(parsed.unfit, ElementsAre("modle"));
  ASSERT_EQ(parsed.sweeps.size(), 1u);
  EXPECT_EQ(parsed.sweeps[0].matrix.size(), 1u) << "`model` is fixed";
}

TEST(Override, OneValueLeavesItsZipGroup) {
  EXPECT_THAT(labels(kZip, {"d_ff=7"}), ElementsAre("d_model=1 d_ff=7", "d_model=2 d_ff=7"));
  EXPECT_THAT(labels(kZip, {"d_ff=7", "d_model=3"}), ElementsAre("d_model=3 d_ff=7"));
}

TEST(Override, SeveralValuesMustFitTheirZipGroup) {
  EXPECT_THAT(labels(kZip, {"d_ff=7,7"}), ElementsAre("d_model=1 d_ff=7", "d_model=2 d_ff=7"));
  EXPECT_EQ(errors(kZip, {"d_ff=7,8,9"}), R"(
--set: error: 3 values for `d_ff`, but the lists of its zip group in `a` have 2; expected one value or 2
   | d_ff=7,8,9
   |      ^~~~~
)");
}

TEST(Override, ExcludeRulesWhoseValuesAreGoneMatchNothing) {
  const std::string text = kMatrix + "exclude:\n  - {model: xl, batch: 2}\n  - {batch: 1}\n";
  EXPECT_THAT(labels(text, {"model=tiny"}), ElementsAre("model=tiny batch=2"));
  EXPECT_THAT(labels(text, {"model=xl"}), testing::IsEmpty());
}

TEST(Override, IncludePointsFollow) {
  const std::string text = kHead +
                           "matrix: {context: [64]}\n"
                           "include:\n  - {context: 2048, model: xl}\n  - {model: tiny}\n";
  EXPECT_THAT(labels(text, {"context=32"}),
              ElementsAre("context=32", "model=xl context=32", "model=tiny context=32"));
  EXPECT_THAT(labels(text, {"context=32,2048"}),
              ElementsAre("context=32", "context=2048", "model=xl context=2048",
                          "model=tiny context=32", "model=tiny context=2048"));
  EXPECT_THAT(
      labels(text, {"context=32,33"}),
      ElementsAre("context=32", "context=33", "model=tiny context=32", "model=tiny context=33"));
}

TEST(Override, AListOfPointsStaysOne) {
  const std::string text = kHead + "include: [{model: xl}, {model: tiny, batch: 2}]\n";
  EXPECT_THAT(labels(text, {"batch=1,2"}),
              ElementsAre("model=xl batch=1", "model=xl batch=2", "model=tiny batch=2"));
  EXPECT_THAT(labels(text, {"batch=1"}), ElementsAre("model=xl batch=1", "model=tiny batch=1"));
  EXPECT_EQ(errors(text, {"model=small,large"}), R"(
--set: error: no point of `a` has any of these values of `model`
   | model=small,large
   |       ^~~~~~~~~~~
)");
}

TEST(Override, ChangesTheDocumentsThatHaveTheParameter) {
  const std::string text = "sweep: a\nworkload: lm_step\n---\nsweep: b\nworkload: matmul\n";
  const Parsed parsed = parse(text, {"size=64", "steps=3"});
  ASSERT_EQ(parsed.sweeps.size(), 2U) << render(parsed.errors);
  EXPECT_THAT(labels(parsed.sweeps[0]), ElementsAre("steps=3"));
  EXPECT_THAT(labels(parsed.sweeps[1]), ElementsAre("size=64 steps=3"));
}

TEST(Override, MistakesAreShownInTheirText) {
  EXPECT_EQ(errors(kMatrix, {"modle=tiny", "context=64,12x,,0", "batch=1", "batch=2", "layers=3,3",
                             "precision=bf61"}),
            R"(
--set: error: `modle` is not a parameter of lm_step
   | modle=tiny
   | ^~~~~
   = help: did you mean `model`?

--set: error: context: `12x` is not an integer; expected an integer such as 512, 10_000 or 64K
   | context=64,12x,,0
   |            ^~~

--set: error: a value of `context` is empty
   | context=64,12x,,0
   |                ^

--set: error: context: 0 is too small; expected at least 1
   | context=64,12x,,0
   |                 ^

--set: error: `batch` is set twice
   | batch=2
   | ^~~~~
   = help: give several values at once: batch=v1,v2

--set: error: `layers` is given the same value twice
   | layers=3,3
   |        ^~~

--set: error: precision: `bf61` is not one of fp32, tf32, bf16, bf16_pure, fp16
   | precision=bf61
   |           ^~~~
   = help: did you mean `bf16`?
)");
}

TEST(Override, TwoDocumentsReportAMistakeOnce) {
  EXPECT_EQ(messages(kMatrix + "---\nsweep: b\nworkload: lm_step\n", {"batch=x"}).size(), 1U);
}

TEST(Override, DoesNotHideAMistakeInTheFile) {
  EXPECT_THAT(messages(kHead + "params: {batch: x}\n", {"batch=1"}),
              ElementsAre(testing::StartsWith("3:17 batch: `x` is not an integer")));
}

}  // namespace
}  // namespace sweepd::test
