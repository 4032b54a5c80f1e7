#include "runner/model/vocabulary/param.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/model/sweep/run_params.h"

namespace sweepd {
namespace {

struct EveryKind {
  std::int64_t size = 4096;
  double dropout = 0.1;
  bool causal = true;
  std::string note = "none";
  std::string precision = "fp32";
  Bytes bucket = 25_MiB;
  Duration pause = milliseconds(5);
  std::int64_t priority = 0;

  void visit(auto& field) {
    field("size", size, "rows", at_least(1), at_most(65536));
    field("dropout", dropout, "share dropped");
    field("causal", causal, "mask the future");
    field("note", note, "free text");
    field("precision", precision, "arithmetic", one_of({"fp32", "bf16"}));
    field("bucket", bucket, "bytes a bucket");
    field("pause", pause, "between steps");
    field("priority", priority, "larger first", Scheduling{});
  }
};

TEST(Params, OneVisitGivesTheDefinitions) {
  const auto defs = describe_params<EveryKind>();
  struct Case {
    const char* name;
    ValueType type;
    const char* default_text;
  };
  const Case cases[] = {
      {"size", ValueType::kInteger, "4096"},     {"dropout", ValueType::kReal, "0.1"},
      {"causal", ValueType::kBoolean, "true"},   {"note", ValueType::kText, "none"},
      {"precision", ValueType::kChoice, "fp32"}, {"bucket", ValueType::kBytes, "25MiB"},
      {"pause", ValueType::kDuration, "5ms"},    {"priority", ValueType::kInteger, "0"},
  };
  ASSERT_EQ(defs.size(), std::size(cases));
  for (std::size_t i = 0; i < defs.size(); ++i) {
    EXPECT_EQ(defs[i].name, cases[i].name);
    EXPECT_EQ(defs[i].type, cases[i].type) << cases[i].name;
    EXPECT_EQ(defs[i].text(defs[i].default_value), cases[i].default_text);
    EXPECT_FALSE(defs[i].help.empty());
  }
  EXPECT_EQ(defs[0].minimum, 1);
  EXPECT_EQ(defs[0].maximum, 65536);
  EXPECT_EQ(defs[0].role, ParamRole::kIdentity);
  EXPECT_EQ(defs[7].role, ParamRole::kScheduling);
}

TEST(Params, ReadBackFromTheDefinitionsText) {
  std::vector<std::pair<std::string, Value>> values;
  const std::pair<const char*, const char*> written[] = {
      {"size", "8K"},        {"dropout", "20%"}, {"causal", "false"}, {"note", "warm"},
      {"precision", "bf16"}, {"bucket", "1GB"},  {"pause", "2s"},
  };
  const auto defs = describe_params<EveryKind>();
  for (std::size_t i = 0; i < std::size(written); ++i) {
    const auto value = defs[i].parse(written[i].second);
    ASSERT_TRUE(value) << written[i].first;
    values.emplace_back(written[i].first, *value);
  }
  values.emplace_back("steps", std::int64_t{10});  // of the run; no parameter of the workload
  const auto params = read_params<EveryKind>(values);
  EXPECT_EQ(params.size, 8000);
  EXPECT_DOUBLE_EQ(params.dropout, 0.2);
  EXPECT_FALSE(params.causal);
  EXPECT_EQ(params.note, "warm");
  EXPECT_EQ(params.precision, "bf16");
  EXPECT_EQ(params.bucket.value, 1'000'000'000);
  EXPECT_EQ(params.pause.ns, 2'000'000'000);
  EXPECT_EQ(params.priority, 0) << "left at its default";
}

// The defaults must satisfy their own limits, or no sweep could be submitted.
TEST(RunParams, DefaultsAreWithinTheirLimits) {
  for (const ParamDef& def : describe_params<RunParams>()) {
    const auto value = def.parse(def.text(def.default_value));
    ASSERT_TRUE(value) << value.error().message;
    EXPECT_EQ(*value, def.default_value) << def.name;
  }
}

// Only these may change without discarding finished results.
TEST(RunParams, WhatIsNotPartOfATrial) {
  std::vector<std::string> scheduling, places;
  for (const ParamDef& def : describe_params<RunParams>()) {
    if (def.role == ParamRole::kScheduling) scheduling.push_back(def.name);
    if (def.role == ParamRole::kPlace) places.push_back(def.name);
  }
  EXPECT_THAT(scheduling, ::testing::ElementsAre("repeats", "timeout", "priority"));
  EXPECT_THAT(places, ::testing::ElementsAre("pool"));
}

}  // namespace
}  // namespace sweepd
