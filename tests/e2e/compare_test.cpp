// Tests `sweepctl compare` on a sweep whose steps differ by a known factor. A program says how long
// they took, so that a busy machine makes no difference.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// Steps of 4.00 to 4.09 ms where `ms` is 4.
constexpr const char* kSteps = R"(
i=0
while [ $i -lt 10 ]; do
  echo "{\"step\":$i,\"time\":$SWEEPD_PARAM_ms.0$i}" >&3
  i=$((i + 1))
done
)";

class Compare : public testing::Test {
 protected:
  void SetUp() override {
    const std::string script = box_.write("steps.sh", kSteps);
    const auto file = [&](const std::string& name, const std::string& ms) {
      return "sweep: " + name + "\nprogram: steps\nparameters: {ms: " + ms +
             "}\nparams: {argv: 'sh " + script +
             "', args: none, warmup: 0, device: cpu, repeats: 3}\n";
    };
    ASSERT_EQ(box_.ctl({"submit", "-", "--wait"}, file("short", "4")).exit_code, 0);
    ASSERT_EQ(box_.ctl({"submit", "-", "--wait"}, file("long", "12")).exit_code, 0);
  }
  Sandbox box_;
};

TEST_F(Compare, TwoSweeps) {
  const Ran ran = box_.ctl({"compare", "short", "long", "--format", "csv"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out,
              AllOf(HasSubstr("short"), HasSubstr("long"), HasSubstr("slower"), HasSubstr("3+3")));
  const Ran text = box_.ctl({"compare", "short", "long"});
  EXPECT_THAT(text.out,
              AllOf(HasSubstr("long against short"),
                    HasSubstr("the sides differ in ms=4 against 12"), HasSubstr("Welch")));
  const Ran back = box_.ctl({"compare", "long", "short", "--format", "csv"});
  EXPECT_THAT(back.out, HasSubstr("faster"));
}

TEST_F(Compare, TwoValuesOfAParameterOfAllResults) {
  const Ran ran = box_.ctl({"compare", "--workload", "steps", "--by", "ms=4,12", "--format", "md"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("ms=12 against ms=4"), HasSubstr("slower")));
}

TEST_F(Compare, TheExitCodeIsForScripts) {
  EXPECT_EQ(box_.ctl({"compare", "short", "long", "--fail-if", "slower"}).exit_code, 1);
  EXPECT_EQ(box_.ctl({"compare", "long", "short", "--fail-if", "slower"}).exit_code, 0);
  EXPECT_EQ(box_.ctl({"compare", "long", "short", "--fail-if", "changed"}).exit_code, 1);
  const Ran tolerant =
      box_.ctl({"compare", "short", "long", "--fail-if", "slower", "--tolerance", "0.99"});
  EXPECT_EQ(tolerant.exit_code, 1) << "a factor of three is beyond 1 ± 0.99";
}

TEST_F(Compare, MistakesAreNamed) {
  EXPECT_THAT(box_.ctl({"compare", "short"}).err, HasSubstr("nothing to compare with"));
  EXPECT_THAT(box_.ctl({"compare", "short", "short"}).err, HasSubstr("both sides count attempt"));
  EXPECT_THAT(box_.ctl({"compare", "short", "lonk"}).err, HasSubstr("did you mean `long`?"));
  EXPECT_THAT(box_.ctl({"compare", "short", "--by", "ms=4"}).err,
              HasSubstr("`ms=4` has 1 values; expected two"));
  EXPECT_THAT(box_.ctl({"compare", "short", "long", "--by", "ms=4,12"}).err,
              HasSubstr("two sweeps are compared, or two values in one"));
  EXPECT_THAT(box_.ctl({"compare", "short", "long", "--tolerance", "two"}).err,
              HasSubstr("tolerance: `two` is not a share"));
  EXPECT_THAT(box_.ctl({"compare", "short", "long", "--metric", "loss"}).err,
              HasSubstr("metric: `loss` is not a time"));
  EXPECT_THAT(box_.ctl({"compare", "short", "long", "--where", "ms=5"}).err,
              HasSubstr("is done and valid"));
  EXPECT_EQ(box_.ctl({"compare", "none", "long"}).exit_code, 3);
}

TEST_F(Compare, ReadsADatabaseFileToo) {
  ASSERT_EQ(box_.ctl({"stop"}).exit_code, 0);
  const Ran ran = box_.ctl({"--db", (box_.state() / "results.db").string(), "compare", "short",
                            "long", "--format", "json"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("\"slower\""));
}

}  // namespace
}  // namespace sweepd::e2e
