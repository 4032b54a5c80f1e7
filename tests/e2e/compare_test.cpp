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

TEST_F(Compare, TwoSweepsOrTwoValues) {
  const Ran ran = box_.ctl({"compare", "short", "long", "--format", "csv"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out,
              AllOf(HasSubstr("short"), HasSubstr("long"), HasSubstr("slower"), HasSubstr("3+3")));
  EXPECT_THAT(box_.ctl({"compare", "short", "long"}).out,
              AllOf(HasSubstr("long against short"),
                    HasSubstr("the sides differ in ms=4 against 12"), HasSubstr("Welch")));
  EXPECT_THAT(box_.ctl({"compare", "long", "short"}).out, HasSubstr("faster"));
  const Ran by = box_.ctl({"compare", "--workload", "steps", "--by", "ms=4,12", "--format", "md"});
  EXPECT_EQ(by.exit_code, 0) << by.err;
  EXPECT_THAT(by.out, AllOf(HasSubstr("ms=12 against ms=4"), HasSubstr("slower")));

  // The exit code is for scripts.
  const auto fails_if = [&](const char* a, const char* b, const char* change) {
    return box_.ctl({"compare", a, b, "--fail-if", change}).exit_code;
  };
  EXPECT_EQ(fails_if("short", "long", "slower"), 1);
  EXPECT_EQ(fails_if("long", "short", "slower"), 0);
  EXPECT_EQ(fails_if("long", "short", "changed"), 1);
  const Ran tolerant =
      box_.ctl({"compare", "short", "long", "--fail-if", "slower", "--tolerance", "0.99"});
  EXPECT_EQ(tolerant.exit_code, 1) << "a factor of three is beyond 1 ± 0.99";

  ASSERT_EQ(box_.ctl({"stop"}).exit_code, 0);
  const Ran file = box_.ctl({"--db", (box_.state() / "results.db").string(), "compare", "short",
                             "long", "--format", "json"});
  EXPECT_EQ(file.exit_code, 0) << file.err;
  EXPECT_THAT(file.out, HasSubstr("\"slower\""));
}

TEST_F(Compare, MistakesAreNamed) {
  const std::vector<std::pair<std::vector<std::string>, const char*>> cases{
      {{"short"}, "nothing to compare with"},
      {{"short", "short"}, "both sides count attempt"},
      {{"short", "lonk"}, "did you mean `long`?"},
      {{"short", "--by", "ms=4"}, "`ms=4` has 1 values; expected two"},
      {{"short", "long", "--by", "ms=4,12"}, "two sweeps are compared, or two values in one"},
      {{"short", "long", "--tolerance", "two"}, "tolerance: `two` is not a share"},
      {{"short", "long", "--metric", "loss"}, "metric: `loss` cannot be compared"},
      {{"short", "long", "--where", "ms=5"}, "measures `time`"},
  };
  for (const auto& [words, said] : cases) {
    std::vector<std::string> arguments{"compare"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    EXPECT_THAT(box_.ctl(arguments).err, HasSubstr(said));
  }
  EXPECT_EQ(box_.ctl({"compare", "none", "long"}).exit_code, 3);
}

}  // namespace
}  // namespace sweepd::e2e
