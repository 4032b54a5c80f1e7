// Tests which points lie beyond one that ran out of memory.
#include "runner/model/sweep/frontier.h"

#include <gtest/gtest.h>

#include "runner/model/sweep/run_params.h"
#include "runner/model/vocabulary/param.h"

namespace sweepd {
namespace {

struct GrowingParams {
  std::string model = "small";
  std::int64_t context = 128;
  std::int64_t layers = 0;
  std::string precision = "fp32";
  void visit(auto& field) {
    field("model", model, "", one_of({"small", "large", "xl"}), GrowsMemory());
    field("context", context, "", at_least(1), GrowsMemory());
    field("layers", layers, "0 is the model's", at_least(0), GrowsMemory());
    field("precision", precision, "", one_of({"fp32", "bf16"}));
  }
};

const WorkloadDef& growing() {
  static const WorkloadDef made = [] {
    WorkloadDef def;
    def.params = describe_params<GrowingParams>();
    for (ParamDef& param : describe_params<RunParams>()) def.params.push_back(std::move(param));
    return def;
  }();
  return made;
}

Trial point(const std::vector<std::pair<std::string, std::string>>& settings) {
  Trial trial = default_trial(growing());
  for (const auto& [name, text] : settings) {
    const std::size_t i = *growing().index_of(name);
    trial.values[i] = *growing().params[i].parse(text);
  }
  return trial;
}

TEST(Frontier, WhatGrowsMemoryIsAsLargeAndSomethingLarger) {
  const Trial oom = point({{"model", "large"}, {"context", "256"}});
  EXPECT_TRUE(is_beyond(growing(), oom, point({{"model", "large"}, {"context", "512"}})));
  EXPECT_TRUE(is_beyond(growing(), oom, point({{"model", "xl"}, {"context", "256"}})));
  EXPECT_TRUE(is_beyond(growing(), oom, point({{"model", "xl"}, {"context", "1024"}})));
  EXPECT_FALSE(is_beyond(growing(), oom, oom)) << "a repeat is not beyond";
  EXPECT_FALSE(is_beyond(growing(), oom, point({{"model", "large"}, {"context", "128"}})));
  EXPECT_FALSE(is_beyond(growing(), oom, point({{"model", "small"}, {"context", "512"}})))
      << "larger in one, smaller in the other";
}

TEST(Frontier, AllElseIsEqual) {
  const Trial oom = point({{"context", "256"}});
  EXPECT_FALSE(is_beyond(growing(), oom, point({{"context", "512"}, {"precision", "bf16"}})));
  EXPECT_FALSE(is_beyond(growing(), oom, point({{"context", "512"}, {"memory_limit", "1GiB"}})));
  EXPECT_FALSE(is_beyond(growing(), oom, point({{"context", "512"}, {"device", "cuda"}})));
  EXPECT_TRUE(is_beyond(growing(), oom, point({{"context", "512"}, {"timeout", "1h"}})))
      << "how long it may take says nothing about its memory";
}

TEST(Frontier, ZeroThatStandsForAnotherValueIsNotLessThanAny) {
  const Trial oom = point({{"context", "256"}});
  EXPECT_FALSE(is_beyond(growing(), oom, point({{"context", "512"}, {"layers", "2"}})));
  EXPECT_FALSE(is_beyond(growing(), point({{"layers", "2"}}), point({{"context", "512"}})));
  EXPECT_TRUE(is_beyond(growing(), point({{"layers", "2"}}), point({{"layers", "3"}})));
}

TEST(Frontier, TheLimitsAreThoseOfThePointThatDidNotFit) {
  EXPECT_EQ(limits_text(growing(), point({{"context", "256"}}),
                        point({{"model", "xl"}, {"context", "512"}})),
            "model=small context=256");
}

}  // namespace
}  // namespace sweepd
