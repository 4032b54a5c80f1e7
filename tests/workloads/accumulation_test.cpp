// Tests accumulation, whose sums are known to the last bit on every machine.
#include <gtest/gtest.h>

#include "tests/workloads/accumulation_sums.h"
#include "tests/workloads/workload_harness.h"

namespace sweepd {
namespace {

class Accumulation : public testing::TestWithParam<Addends> {};

TEST_P(Accumulation, IsExact) {
  const Addends& c = GetParam();
  Harness harness;
  const auto workload = harness.make("accumulation", {{"count", c.count},
                                                      {"increment", c.increment},
                                                      {"accumulator", c.accumulator},
                                                      {"addend", c.addend},
                                                      {"conversion", c.conversion}});
  const auto check = workload->check();
  ASSERT_TRUE(check.has_value());
  EXPECT_TRUE(check->passed) << check->message;
  RecordedPhases phases;
  for (int i = 0; i < 2; ++i) workload->step(phases);  // each step begins at zero
  RecordedFacts facts;
  workload->facts(facts);
  EXPECT_EQ(facts.texts["result"], c.result);
  EXPECT_EQ(facts.numbers["exact"], 10.0);
  EXPECT_EQ(facts.numbers["error"], std::stod(c.result) - 10.0);
}

INSTANTIATE_TEST_SUITE_P(Sums, Accumulation, testing::ValuesIn(kSums), [](const auto& param_info) {
  const Addends& c = param_info.param;
  return std::string(c.count) + "_" + c.addend + "_into_" + c.accumulator + "_" + c.conversion;
});

TEST(AccumulationFacts, TellTheAddendsShareOfTheError) {
  Harness harness;
  const auto workload = harness.make("accumulation", {{"accumulator", "fp32"}, {"addend", "fp16"}});
  RecordedPhases phases;
  workload->step(phases);
  RecordedFacts facts;
  workload->facts(facts);
  EXPECT_EQ(facts.texts["addend"], "0.01000213623046875");  // the fp16 next to 0.01
  EXPECT_NEAR(facts.numbers["addend_error"], 0.00213623046875, 1e-15);
}

// An fp32 addend for a bf16 accumulator is rounded only in the sum; if converted first, twice.
TEST(AccumulationConversion, MattersWhereTheAddendIsFiner) {
  for (const auto& [conversion, result] :
       {std::pair{"implicit", "0.09912109375"}, {"explicit", "0.099609375"}}) {
    Harness harness;
    const auto workload = harness.make(
        "accumulation",
        {{"accumulator", "bf16"}, {"addend", "fp32"}, {"count", "10"}, {"conversion", conversion}});
    const auto check = workload->check();
    EXPECT_TRUE(check->passed) << check->message;
    RecordedFacts facts;
    workload->facts(facts);
    EXPECT_EQ(facts.texts["result"], result);
  }
}

}  // namespace
}  // namespace sweepd
