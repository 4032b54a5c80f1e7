// Tests `sweepctl noise`: its measurements, output and stored results, and `compare`'s use of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::string kPoints =
    "sweep: equal\nworkload: noop\nparams: {warmup: 1, steps: 3}\nmatrix: {sleep: [1ms, 2ms]}\n";

class Noise : public testing::Test {
 protected:
  Ran noise(std::vector<std::string> options, const std::string& text = "") {
    options.insert(options.begin(), "noise");
    return box_.ctl(options, text);
  }
  Sandbox box_;
};

TEST_F(Noise, IsThatOfEnoughRepeatsOrMeasuredAnewAndComparePrintsIt) {
  ASSERT_EQ(box_.ctl({"submit", "-", "--wait", "--set", "repeats=16"}, kPoints).exit_code, 0);
  const Ran known = noise({"--sweep", "equal", "--format", "md"});
  EXPECT_EQ(known.exit_code, 0) << known.err;
  EXPECT_THAT(known.out, AllOf(HasSubstr("| sleep | attempts |"), HasSubstr("|       16 |")));
  EXPECT_THAT(box_.ctl({"list"}).out, Not(HasSubstr("noise"))) << "it needs no measurement";

  const Ran ran = noise({"-", "--processes", "20", "--format", "json"}, kPoints);
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("40 attempts to run")) << "nothing is reused";
  const auto table = nlohmann::json::parse(ran.out);
  ASSERT_EQ(table.at("columns").at(4).at("name"), "A/A median") << ran.out;
  ASSERT_EQ(table.at("rows").size(), 2U) << ran.out;
  for (const auto& row : table.at("rows")) {
    EXPECT_EQ(row.at(1), 20) << ran.out;
    EXPECT_GT(row.at(5).get<double>(), 0) << ran.out;
    EXPECT_GE(row.at(5), row.at(4)) << ran.out;
  }
  const Ran compared = box_.ctl({"compare", "equal", "--by", "sleep=1ms,2ms", "--notes", "all"});
  EXPECT_THAT(compared.out,
              AllOf(HasSubstr("noise: of two equal runs of `"), HasSubstr("runs of `sleep=2ms "),
                    HasSubstr("95 % differ by less than")));
}

TEST_F(Noise, MistakesAreNamed) {
  ASSERT_EQ(box_.ctl({"submit", "-", "--wait", "--set", "repeats=3"}, kPoints).exit_code, 0);
  EXPECT_THAT(noise({"--sweep", "equal"}).err,
              AllOf(HasSubstr("too few attempts are done and valid"), HasSubstr("3 attempts"),
                    HasSubstr("expected 16 or more")));
  EXPECT_THAT(noise({"--sweep", "equal", "--slowdown", "none"}).err,
              HasSubstr("slowdown: `none` is not a share"));
  EXPECT_THAT(noise({"--sweep", "equal", "--set", "sleep=3ms"}).err,
              HasSubstr("neither FILE nor --set is expected"));
  EXPECT_EQ(noise({"--sweep", "other"}).exit_code, 3);
  EXPECT_THAT(noise({"-", "--processes", "0"}, kPoints).err, HasSubstr("repeats"));
  EXPECT_THAT(noise({}).err, HasSubstr("noise.yaml:3:11: error: workload: `lm_step` is not one of"))
      << "without a file it measures workloads that this worker lacks";
}

}  // namespace
}  // namespace sweepd::e2e
