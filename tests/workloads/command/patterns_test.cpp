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
  EXPECT_EQ(std::get<StepReport>(both[1]).step, 1) << "the step at which it is printed";
  EXPECT_EQ(std::get<StepReport>(both[1]).samples.at(0).phase, "forward");
  EXPECT_EQ(std::get<StepReport>(both[1]).samples.at(0).value, 4);
}

// "0 time", "9 loss" for each figure of a program that prints a loss after each tenth step.
TEST(Patterns, AMetricOfSomeStepsBelongsToThem) {
  Patterns patterns("time = step took ([0-9.]+)\nloss = loss ([0-9.]+)");
  std::vector<std::int64_t> of_loss;
  for (int step = 0; step < 30; ++step) {
    const auto time = patterns.read("step took 4.5");
    ASSERT_THAT(time, SizeIs(1));
    EXPECT_EQ(std::get<StepReport>(time[0]).step, step);
    if (step % 10 != 9) continue;
    for (const Report& report : patterns.read("loss 2.5")) {
      of_loss.push_back(std::get<StepReport>(report).step);
    }
  }
  EXPECT_THAT(of_loss, ::testing::ElementsAre(9, 19, 29));
}

// What is printed before its step's time is not pushed to the step before.
TEST(Patterns, PartsOfAStepThatComeBeforeItAreOfIt) {
  Patterns patterns("time.load = load ([0-9.]+)\ntime = step ([0-9.]+)");
  for (int step = 0; step < 3; ++step) {
    EXPECT_EQ(std::get<StepReport>(patterns.read("load 1").at(0)).step, step);
    EXPECT_EQ(std::get<StepReport>(patterns.read("step 4").at(0)).step, step);
  }
}

TEST(Patterns, AMatchInsideOfANumberIsWarnedOf) {
  const auto warning = [](const char* regex, const std::string& line) {
    Patterns patterns(std::string("rate = ") + regex);
    patterns.read(line);
    const auto found = patterns.finish();
    return found.empty() ? "" : std::get<FactReport>(found[0]).text;
  };
  EXPECT_EQ(warning("([0-9.]+)", "at 193,831 tokens/s"),
            "pattern `rate = ([0-9.]+)` read a part of a number in 1 of 1 matches: `193` of "
            "`193,831` in line 1");
  struct Row {
    const char *regex, *line;
    bool warns;
  };
  for (const Row& row : {
           Row{"([0-9]+)", "12.5 ms", true},
           Row{"([0-9]+) ms", "12.5 ms", true},
           Row{"([0-9.]+)", "1.5e-3", true},
           Row{"([0-9.]+)", "2e5", true},
           Row{"([0-9.]+)", "loss: -3.5", true},
           Row{"([0-9.]+) GB", "3_000 GB", true},
           Row{"([0-9.]+)", "12.5 ms", false},
           Row{"([0-9.]+)", "took 12.", false},
           Row{"([0-9.]+)", "(12.5,13.5)", false},
           Row{"([0-9]+),[0-9]+", "12,13", false},  // the expression says so
           Row{"[0-9]+\\.([0-9]+)", "12.5", false},
           Row{"-([0-9]+)", "-12", false},
           Row{"([0-9]+)", "12/100", false},
           Row{"([0-9]+)", "step-3", false},
           Row{"([0-9.]+)", "5ms", false},
           Row{"([0-9.]+)", "5 elements", false},
       }) {
    EXPECT_EQ(!warning(row.regex, row.line).empty(), row.warns) << row.regex << " in " << row.line;
  }
  Patterns versions("fact.cuda = CUDA ([0-9]+)");
  versions.read("CUDA 12.4");
  EXPECT_THAT(versions.finish(), SizeIs(0)) << "a part of a version";
}

TEST(Patterns, ReadCommasBetweenThousands) {
  Patterns patterns("rate = rate: ([0-9.,]+)\nfact.peak = peak ([0-9.,]+)");
  const auto rate = [&](const char* line) {
    return std::get<StepReport>(patterns.read(line).at(0)).samples.at(0).value;
  };
  EXPECT_EQ(rate("rate: 193,831.5 tok/s"), 193831.5);
  EXPECT_EQ(rate("rate: 12, all of it"), 12);
  EXPECT_EQ(std::get<FactReport>(patterns.read("peak 1,024 MB").at(0)).number, 1024);
  EXPECT_THAT(patterns.finish(), SizeIs(0)) << "no part of a number";
  for (const char* line : {"rate: 12,5", "rate: 0,123"}) {
    try {
      patterns.read(line);
      ADD_FAILURE() << line;
    } catch (const std::invalid_argument& error) {
      EXPECT_THAT(error.what(), HasSubstr("whose comma separates no thousands")) << line;
    }
  }
}

TEST(Patterns, ThoseThatMatchedNothingAreNamed) {
  Patterns patterns("time:us = took ([0-9]+)\nloss = loss ([0-9.]+)\nfact.gpu = on (.*)");
  patterns.read("took 5");
  const auto found = patterns.finish();
  ASSERT_THAT(found, SizeIs(1));
  const auto& fact = std::get<FactReport>(found[0]);
  EXPECT_EQ(fact.name, "patterns.unmatched");
  EXPECT_EQ(fact.text, "loss, fact.gpu");
}

TEST(Patterns, ReadNumbersThatAreNotFinite) {
  Patterns patterns("loss = loss (\\S+)");
  for (const char* text : {"nan", "-inf", "inf", "+1.5"}) {
    EXPECT_THAT(patterns.read(std::string("loss ") + text), SizeIs(1)) << text;
  }
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
    EXPECT_STREQ(e.what(),
                 "patterns: `time = took (.*)`: line 1, column 6: it found `long`; expected a "
                 "number");
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
