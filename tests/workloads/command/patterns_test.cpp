// Tests figures that are read from a program's output.
#include "workloads/command/patterns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sweepd::command {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST(Patterns, NumberTheirMatchesAsSteps) {
  Patterns patterns("time = step +\\d+: ([0-9.]+) ms\ntime.forward:s = forward took ([0-9.]+)\n");
  EXPECT_THAT(patterns.read("nothing here"), SizeIs(0));
  const auto first = std::get<StepReport>(patterns.read("step 7: 12.5 ms").at(0));
  EXPECT_EQ(first.step, 0);
  EXPECT_EQ(first.samples.at(0).phase, "step");
  EXPECT_EQ(first.samples.at(0).value, 12.5);
  const auto both = patterns.read("step 8: 13 ms, forward took 0.004");
  ASSERT_THAT(both, SizeIs(2));
  EXPECT_EQ(std::get<StepReport>(both[0]).step, 1);
  EXPECT_EQ(std::get<StepReport>(both[1]).step, 0);  // each pattern counts its own steps
  EXPECT_EQ(std::get<StepReport>(both[1]).samples.at(0).phase, "forward");
  EXPECT_EQ(std::get<StepReport>(both[1]).samples.at(0).value, 4);
}

TEST(Patterns, OfFactsAreNumbersOrTexts) {
  Patterns patterns("fact.busbw = Avg bus bandwidth *: ([0-9.]+)\nfact.device = on (.*)");
  EXPECT_EQ(std::get<FactReport>(patterns.read("# Avg bus bandwidth    : 363.5").at(0)).number,
            363.5);
  EXPECT_EQ(std::get<FactReport>(patterns.read("on a GPU").at(0)).text, "a GPU");
}

TEST(Patterns, WithoutAGroupTakeAllOfTheMatch) {
  Patterns patterns("time:us = [0-9]+");
  EXPECT_EQ(std::get<StepReport>(patterns.read("250").at(0)).samples.at(0).value, 0.25);
}

TEST(Patterns, LookAtTheBeginningOfALongLine) {
  Patterns patterns("time = ([0-9]+)x");
  EXPECT_THAT(patterns.read(std::string(1 << 20, 'a') + "1x"), SizeIs(0));
}

// A stack has room for some tens of thousands of them.
const std::string kBrackets = "time = " + std::string(100'000, '(') + std::string(100'000, ')');

TEST(Patterns, NameWhatIsWrong) {
  struct Row {
    const char *text, *message;
  };
  for (const Row& row : {
           Row{"time", "patterns: `time`: expected `METRIC = REGEX`"},
           Row{"kernel_time = x", "sweepd has another figure of this name"},
           Row{"time.For ward = x", "`For ward` is not a phase name"},
           Row{"time:min = x", "unit `min`; expected ns, us, ms or s"},
           Row{"loss:ms = x", "`loss` is no time, so its unit is not converted"},
           Row{"fact. = x", "the fact has no name"},
           Row{"time = ([0-9]+", "patterns: `time = ([0-9]+`: "},
           Row{kBrackets.c_str(), "it has 200007 bytes; at most 1000 are understood"},
       }) {
    try {
      const Patterns patterns(row.text);
      FAIL() << row.text;
    } catch (const std::invalid_argument& e) {
      EXPECT_THAT(e.what(), HasSubstr(row.message));
    }
  }
  Patterns patterns("time = took (.*)");
  try {
    patterns.read("took long");
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(), "patterns: `time = took (.*)`: it found `long`; expected a number");
  }
  try {
    patterns.read("took -1");
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_THAT(e.what(), HasSubstr("`time` of step is -1; expected ms, from 0"));
  }
}

}  // namespace
}  // namespace sweepd::command
