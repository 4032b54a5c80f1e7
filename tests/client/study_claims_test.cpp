// Tests a claim's result for figures on both sides of it, and its reason if it is undecided.
#include <gtest/gtest.h>

#include "runner/client/study/claims.h"

namespace sweepd {
namespace {

using Figures = std::map<std::string, ClaimFigure>;

ClaimFigure claim_figure(double number, std::optional<double> spread, bool suspect = false) {
  return {FoundFigure{"", number, suspect}, spread};
}

ToldClaim of_claim(const Figures& figures, const std::string& condition = "{a} < 0.9 * {b}") {
  StudyClaim claim;
  claim.condition = condition;
  return judge(claim, figures);
}

TEST(StudyClaims, HoldFailOrAreWithinTheNoise) {
  EXPECT_EQ(of_claim({{"a", claim_figure(8, 0.01)}, {"b", claim_figure(10, 0.01)}}).told,
            Told::kHolds);
  EXPECT_EQ(of_claim({{"a", claim_figure(10, 0.01)}, {"b", claim_figure(10, 0.01)}}).told,
            Told::kFails);
  const ToldClaim close = of_claim({{"a", claim_figure(8.9, 0.03)}, {"b", claim_figure(10, 0.03)}});
  EXPECT_EQ(close.told, Told::kUnclear);
  EXPECT_EQ(close.why, "the difference is within the noise");
}

TEST(StudyClaims, CompareWords) {
  const auto word = [](const std::string& text) {
    return Figures{{"a", {FoundFigure{text, {}, true}, {}}}};
  };
  EXPECT_EQ(of_claim(word("OOM"), "{a} is OOM").told, Told::kHolds);
  EXPECT_EQ(of_claim(word("done"), "{a} is OOM").told, Told::kFails);
  const Figures none{{"a", {Error{ErrorCode::kNotFound, "the attempt is oom; more"}, {}}}};
  EXPECT_EQ(of_claim(none, "{a} is OOM").why, "the attempt is oom");
}

TEST(StudyClaims, SayWhyTheyCannotBeTold) {
  const ClaimFigure good = claim_figure(1, 0);
  EXPECT_EQ(of_claim({{"a", claim_figure(1, 0, true)}, {"b", good}}).why, "a figure is suspect");
  EXPECT_EQ(of_claim({{"a", good}, {"b", claim_figure(10, {})}}).why,
            "a time was measured only once");
  const Error oom{ErrorCode::kNotFound, "the attempt is oom; there are others"};
  EXPECT_EQ(of_claim({{"a", good}, {"b", {oom, {}}}}).why, "the attempt is oom");
  EXPECT_EQ(of_claim({{"a", good}, {"b", {FoundFigure{"torch.float32", {}, false}, 0}}}).why,
            "a figure is no number");
  EXPECT_EQ(of_claim({{"a", claim_figure(1, 0, true)}, {"b", {oom, {}}}}).why,
            "the attempt is oom");
  EXPECT_EQ(of_claim({{"a", good}, {"b", good}}, "{a} <").told, Told::kUnclear);
}

}  // namespace
}  // namespace sweepd
