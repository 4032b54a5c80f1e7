#include "runner/wire/catalog_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/model/sweep/run_params.h"
#include "runner/model/vocabulary/param.h"

namespace sweepd {
namespace {

using ::testing::HasSubstr;

struct EveryTypeParams {
  std::int64_t count = 64;
  double share = 0.02;
  bool causal = true;
  std::string label = "a \"b\"";
  std::string model = "small";
  Bytes size = 1_MiB;
  Duration pause = milliseconds(1500);
  std::string argv;
  void visit(auto& field) {
    field("count", count, "how many", at_least(1), at_most(4096));
    field("share", share, "of the whole", at_least(0), at_most(1));
    field("causal", causal, "mask the future");
    field("label", label, "free text");
    field("model", model, "size", one_of({"tiny", "small"}));
    field("size", size, "buffer", at_least(1024));
    field("pause", pause, "between steps", Scheduling{});
    field("argv", argv, "what to run", form_of(TextForm::kCommandLine, {"count", "device"}));
  }
};

Catalog example_catalog() {
  WorkloadDef def;
  def.name = "everything";
  def.version = 3;
  def.help = "one parameter of each type";
  def.passes = {"timing"};
  def.phases = {"forward", "backward"};
  def.analytic = true;
  def.params = describe_params<EveryTypeParams>();
  for (ParamDef& param : describe_params<RunParams>()) {
    param.run_param = true;
    def.params.push_back(param);
  }
  return {{def}};
}

std::string error_of(const nlohmann::json& json) {
  const auto read = catalog_from_json(json);
  return read.ok() ? "no error" : read.error().message;
}

TEST(CatalogJson, EveryFieldSurvivesTheTextForm) {
  const Catalog catalog = example_catalog();
  const auto text = to_json(catalog).dump();
  const auto read = catalog_from_json(nlohmann::json::parse(text));
  ASSERT_TRUE(read.ok()) << read.error().message;
  const WorkloadDef& was = catalog.workloads[0];
  const WorkloadDef& is = read->workloads.at(0);
  EXPECT_EQ(is.name, was.name);
  EXPECT_EQ(is.version, was.version);
  EXPECT_EQ(is.help, was.help);
  EXPECT_EQ(is.passes, was.passes);
  EXPECT_EQ(is.phases, was.phases);
  EXPECT_EQ(is.analytic, was.analytic);
  ASSERT_EQ(is.params.size(), was.params.size());
  for (std::size_t i = 0; i < is.params.size(); ++i) {
    SCOPED_TRACE(was.params[i].name);
    EXPECT_EQ(is.params[i].name, was.params[i].name);
    EXPECT_EQ(is.params[i].type, was.params[i].type);
    EXPECT_EQ(is.params[i].default_value, was.params[i].default_value);
    EXPECT_EQ(is.params[i].help, was.params[i].help);
    EXPECT_EQ(is.params[i].choices, was.params[i].choices);
    EXPECT_EQ(is.params[i].minimum, was.params[i].minimum);
    EXPECT_EQ(is.params[i].maximum, was.params[i].maximum);
    EXPECT_EQ(is.params[i].role, was.params[i].role);
    EXPECT_EQ(is.params[i].run_param, was.params[i].run_param);
    EXPECT_EQ(is.params[i].form, was.params[i].form);
    EXPECT_EQ(is.params[i].template_names, was.params[i].template_names);
  }
}

TEST(CatalogJson, ValuesHaveTheJsonTypeOfTheirKind) {
  const auto params = to_json(example_catalog())["workloads"][0]["params"];
  EXPECT_EQ(params[0]["default"], 64);
  EXPECT_EQ(params[1]["default"], 0.02);
  EXPECT_EQ(params[2]["default"], true);
  EXPECT_EQ(params[4]["default"], "small");
  EXPECT_EQ(params[5]["default"], "1MiB");
  EXPECT_EQ(params[6]["default"], "1500ms");
  EXPECT_EQ(params[6]["role"], "scheduling");
}

TEST(CatalogJson, ValuesAreReadFromTheirTypeAndFromSweepFileText) {
  const Catalog catalog = example_catalog();
  const auto value = [&](const char* param, const nlohmann::json& json) {
    return value_from_json(*catalog.workloads[0].find(param), json);
  };
  EXPECT_EQ(*value("count", 12), Value(std::int64_t{12}));
  EXPECT_EQ(*value("count", "4K"), Value(std::int64_t{4000}));
  EXPECT_EQ(*value("share", 0.25), Value(0.25));
  EXPECT_EQ(*value("share", 1), Value(1.0));
  EXPECT_EQ(*value("share", "2%"), Value(0.02));
  EXPECT_EQ(*value("causal", false), Value(false));
  EXPECT_EQ(*value("size", "64KiB"), Value(std::int64_t{65536}));
  EXPECT_FALSE(value("count", 1.5).ok());
  EXPECT_FALSE(value("count", 5000).ok());
  EXPECT_FALSE(value("model", "xl").ok());
  EXPECT_FALSE(value("model", nullptr).ok());
  EXPECT_FALSE(value("label", nlohmann::json::array()).ok());
}

TEST(CatalogJson, MistakesNameTheirPlace) {
  const auto with = [](const char* pointer, const nlohmann::json& value) {
    auto json = to_json(example_catalog());
    json[nlohmann::json::json_pointer(pointer)] = value;
    return error_of(json);
  };
  EXPECT_THAT(error_of(nlohmann::json::array()), HasSubstr("catalog: expected an object"));
  EXPECT_THAT(error_of({{"workload", 1}}), HasSubstr("`workloads` is missing"));
  EXPECT_THAT(with("/workloads/0/params/1/type", "float"),
              HasSubstr("`workloads[0].params[1].type`: unknown value type `float`"));
  EXPECT_THAT(with("/workloads/0/params/0/default", 0),
              HasSubstr("`workloads[0].params[0].default`: count: 0 is too small"));
  EXPECT_THAT(
      with("/workloads/0/params/0/role", "none"),
      HasSubstr("`workloads[0].params[0].role`: expected `identity`, `scheduling` or `place`"));
  EXPECT_THAT(with("/workloads/0/phases", 3), HasSubstr("`workloads[0].phases`: expected a list"));
}

}  // namespace
}  // namespace sweepd
