#include "runner/model/vocabulary/catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sweepd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

ParamDef integer_param() {
  ParamDef def;
  def.name = "context";
  def.type = ValueType::kInteger;
  def.default_value = std::int64_t{256};
  def.minimum = 1;
  def.maximum = 65536;
  return def;
}

ParamDef choice_param() {
  ParamDef def;
  def.name = "precision";
  def.type = ValueType::kChoice;
  def.default_value = std::string("fp32");
  def.choices = {"fp32", "tf32", "bf16"};
  return def;
}

std::string mistake(const ParamDef& def, std::string_view text) {
  const auto value = def.parse(text);
  return value ? "accepted" : value.error().message;
}

TEST(ParamDef, LimitsAreInclusive) {
  const ParamDef def = integer_param();
  EXPECT_EQ(mistake(def, "1"), "accepted");
  EXPECT_EQ(mistake(def, "65536"), "accepted");
  EXPECT_THAT(mistake(def, "0"), HasSubstr("context: 0 is too small; expected at least 1"));
  EXPECT_THAT(mistake(def, "65537"), HasSubstr("context: 65537 is too large; expected at most"));
  EXPECT_THAT(mistake(def, "wide"), HasSubstr("context: `wide` is not an integer"));
}

TEST(ParamDef, LimitsSpeakInTheParametersUnit) {
  ParamDef def = integer_param();
  def.name = "bucket";
  def.type = ValueType::kBytes;
  def.minimum = 1048576;
  EXPECT_THAT(mistake(def, "1KiB"), HasSubstr("1KiB is too small; expected at least 1MiB"));
}

TEST(ParamDef, ChoicesNameTheNearest) {
  const ParamDef def = choice_param();
  EXPECT_EQ(mistake(def, "bf16"), "accepted");
  EXPECT_THAT(mistake(def, "bf61"),
              HasSubstr("`bf61` is not one of fp32, tf32, bf16 (did you mean `bf16`?)"));
  EXPECT_THAT(mistake(def, "BF16"), HasSubstr("is not one of"));
}

TEST(Catalog, FindsWorkloadsAndParameters) {
  WorkloadDef def;
  def.name = "lm_step";
  def.params = {choice_param(), integer_param()};
  const Catalog catalog{{def}};
  ASSERT_NE(catalog.find("lm_step"), nullptr);
  EXPECT_EQ(catalog.find("lm"), nullptr);
  EXPECT_THAT(catalog.names(), ElementsAre("lm_step"));
  EXPECT_EQ(def.index_of("context"), 1u);
  EXPECT_EQ(def.index_of("contex"), std::nullopt);
  EXPECT_EQ(def.find("precision")->choices.size(), 3u);
  EXPECT_EQ(def.find("nothing"), nullptr);
  EXPECT_THAT(def.param_names(), ElementsAre("precision", "context"));
}

}  // namespace
}  // namespace sweepd
