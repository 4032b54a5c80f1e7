#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <tuple>

#include "tests/workloads/ranks.h"
#include "tests/workloads/workload_harness.h"
#include "workloads/dist/collective_bytes.h"
#include "workloads/dist/test_values.h"

namespace sweepd {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST(CollectiveBytes, AreThoseOfNcclTests) {
  const struct {
    const char* op;
    std::int64_t ranks;
    double bus_factor, traffic_of_100;
  } cases[] = {
      {"all_reduce", 1, 0, 200},    {"all_reduce", 2, 1, 400},       {"all_reduce", 4, 1.5, 800},
      {"all_gather", 4, 0.75, 500}, {"reduce_scatter", 2, 0.5, 300}, {"broadcast", 4, 1, 400},
  };
  for (const auto& c : cases) {
    const CollectiveOp op = collective_op_from(c.op);
    EXPECT_DOUBLE_EQ(bus_factor(op, c.ranks), c.bus_factor) << c.op << c.ranks;
    EXPECT_DOUBLE_EQ(least_memory_traffic(op, 100, c.ranks), c.traffic_of_100) << c.op << c.ranks;
  }
  EXPECT_EQ(collective_elements(CollectiveOp::kAllReduce, 1'000'000, 4, 6), 250'000);
  EXPECT_EQ(collective_elements(CollectiveOp::kAllGather, 1'000'000, 4, 6), 249'996);
  EXPECT_EQ(collective_elements(CollectiveOp::kReduceScatter, 20, 4, 6), 0);
}

TEST(RankValues, SumsAreExactWhateverTheOrder) {
  for (const at::ScalarType type : {at::kFloat, at::kHalf, at::kBFloat16, at::kDouble}) {
    for (const int ranks : {1, 2, 6, 200, 300}) {
      const RankValues values(ranks, at::TensorOptions().dtype(type));
      at::Tensor up = at::zeros({20'000}, type), down = at::zeros({20'000}, type);
      at::Tensor one = at::empty({20'000}, type);
      for (int i = 0; i < ranks; ++i) {
        values.fill(one, i);
        up += one;
        values.fill(one, ranks - 1 - i);
        down += one;
      }
      EXPECT_EQ(values.count_wrong_sums(up), 0) << toString(type) << ", " << ranks << " ranks";
      EXPECT_EQ(values.count_wrong_sums(down), 0) << toString(type) << ", " << ranks << " ranks";
    }
  }
}

TEST(RankValues, FindsEveryWrongElement) {
  const RankValues values(3, at::TensorOptions().dtype(at::kFloat));
  at::Tensor tensor = at::empty({100'000}, at::kFloat);
  values.fill(tensor, 1);
  EXPECT_EQ(values.count_wrong(tensor, 1), 0);
  EXPECT_GT(values.count_wrong(tensor, 2), 90'000);        // another rank's values
  EXPECT_GT(values.count_wrong(tensor, 1, 4096), 90'000);  // values from another position
  for (const std::int64_t i : {0, 8190, 8191, 99'999}) tensor[i] = -1;
  tensor[50'000] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(values.count_wrong(tensor, 1), 5);
  at::Tensor part = at::empty({1000}, at::kFloat);
  values.fill(part, 1, 30'000);
  EXPECT_TRUE(part.equal(tensor.narrow(0, 30'000, 1000)));
}

// The measurements and reports of a rank of the workload.
struct ReducedTrial {
  std::map<std::string, double> facts;
  RecordedSamples samples;
};

void run_steps(Context& context, const Texts& changes, ReducedTrial& trial) {
  auto values = values_of("all_reduce", changes);
  const auto workload = Registry::instance().find("all_reduce")->make(values, context);
  ASSERT_NE(workload->gang(), nullptr);
  const auto check = workload->check();
  ASSERT_TRUE(check);
  EXPECT_TRUE(check->passed) << check->message;
  RecordedPhases phases;
  for (int i = 0; i < 3; ++i) {
    workload->gang()->barrier();
    workload->step(phases);
    workload->after_step(trial.samples);
  }
  RecordedFacts facts;
  workload->facts(facts);
  trial.facts = facts.numbers;
  workload->gang()->barrier();
}

using Reduction = std::tuple<std::string, std::string, bool, int>;  // op, dtype, in place, ranks

class AllReduceOf : public ::testing::TestWithParam<Reduction> {};

TEST_P(AllReduceOf, ChecksEveryElementOfEveryStep) {
  const auto& [op, dtype, in_place, ranks] = GetParam();
  const Texts changes{
      {"op", op}, {"dtype", dtype}, {"in_place", in_place ? "true" : "false"}, {"bytes", "100000"}};
  std::vector<ReducedTrial> trials(static_cast<std::size_t>(ranks));
  expect_ranks(ranks, [&](Context& context) {
    run_steps(context, changes, trials[static_cast<std::size_t>(context.rank)]);
  });
  std::set<double> algbw;
  for (const ReducedTrial& trial : trials) {
    EXPECT_EQ(trial.facts.at("wrong"), 0);
    EXPECT_GE(trial.facts.at("checked"), 4 * 100'000 / 8 / ranks - 4);
    if (ranks == 1) {
      EXPECT_FALSE(trial.samples.values.contains("step/algbw")) << "nothing is sent";
      continue;
    }
    EXPECT_THAT(trial.samples.values.at("step/algbw"), AllOf(SizeIs(3), Each(Gt(0))));
    algbw.insert(trial.samples.values.at("step/algbw").back());
  }
  if (ranks == 1) return;
  EXPECT_EQ(algbw.size(), 1U);  // the slowest rank's, on all of them
}

INSTANTIATE_TEST_SUITE_P(Ops, AllReduceOf,
                         ::testing::Combine(::testing::Values("all_reduce", "all_gather",
                                                              "reduce_scatter", "broadcast"),
                                            ::testing::Values("fp32", "bf16"), ::testing::Bool(),
                                            ::testing::Values(1, 2, 3)),
                         [](const auto& test) {
                           return std::get<0>(test.param) + "_" + std::get<1>(test.param) +
                                  (std::get<2>(test.param) ? "_in_place_" : "_out_of_place_") +
                                  std::to_string(std::get<3>(test.param));
                         });

TEST(AllReduce, TellsItsSetUpApart) {
  const auto ranks = run_ranks(2, [](Context& context) {
    ReducedTrial trial;
    run_steps(context, {{"bytes", "4096"}}, trial);
  });
  for (const RankResult& rank : ranks) {
    EXPECT_EQ(rank.error, "");
    EXPECT_GT(rank.setup.values.at("setup/rendezvous_time").at(0), 0);
    EXPECT_GT(rank.setup.values.at("setup/fill_time").at(0), 0);
  }
}

TEST(AllReduce, RefusesLessThanAnElementForEachRank) {
  const auto ranks = run_ranks(3, [](Context& context) {
    ReducedTrial trial;
    run_steps(context, {{"bytes", "8"}, {"op", "all_gather"}}, trial);
  });
  for (const RankResult& rank : ranks) {
    EXPECT_THAT(rank.error, HasSubstr("8 are less than one fp32 element for each of 3 ranks"));
  }
}

TEST(AllReduce, StatesItsWork) {
  Harness harness;
  const WorkPerStep work = harness.work("all_reduce", {{"bytes", "1MB"}, {"world_size", "4"}});
  ASSERT_EQ(work.phases.size(), 1U);
  EXPECT_EQ(work.phases[0].bytes, 8e6);
  EXPECT_EQ(work.figures[0].value, 1e6);
  EXPECT_EQ(work.figures[1].value, 1.5);
  EXPECT_EQ(harness.work("all_reduce", {}).phases[0].bytes, 0);  // one rank, in place
}

}  // namespace
}  // namespace sweepd
