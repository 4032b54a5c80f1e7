// How `args: auto` passes parameters, by style.
#include "runner/sweepfile/sweep/auto_args.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sweepd::sweepfile {
namespace {

using testing::HasSubstr;

ParamDef auto_args_param(const char* name, ValueType type, Value standard,
                         TextForm form = TextForm::kPlain) {
  ParamDef param;
  param.name = name;
  param.type = type;
  param.default_value = std::move(standard);
  param.form = form;
  return param;
}

const std::vector<ParamDef> kPassed{
    auto_args_param("batch_size", ValueType::kInteger, std::int64_t{8}),
    auto_args_param("fast", ValueType::kBoolean, false),
    auto_args_param("sizes", ValueType::kText, std::string("64 x\\ y"), TextForm::kList)};

TEST(AutoArgs, HaveStyles) {
  for (const auto& [style, expected] : std::vector<std::pair<std::string, std::string>>{
           {"auto", "--batch_size={batch_size} --fast={fast} --sizes={sizes,}"},
           {"auto dashes", "--batch-size={batch_size} --fast={fast} --sizes={sizes,}"},
           {"auto spaces", "--batch_size {batch_size} --fast {fast} --sizes {sizes*}"},
           {"auto bare", "batch_size={batch_size} fast={fast} sizes=[{sizes,}]"},
           {"auto flags", "--batch_size={batch_size} {fast=true?--fast} --sizes={sizes,}"},
           {"auto no-flags  spaces",
            "--batch_size {batch_size} {fast=true?--fast} {fast=false?--no-fast} --sizes {sizes*}"},
           {"auto bare True",
            "batch_size={batch_size} fast={fast=true?True}{fast=false?False} sizes=[{sizes,}]"},
           {"auto changed flags",
            "{batch_size!8?--batch_size={batch_size}} {fast!false?{fast=true?--fast}} "
            "{sizes!64\\ x\\\\\\ y?--sizes={sizes,}}"},
       }) {
    const auto args = spell_out_auto_args(style, kPassed);
    ASSERT_TRUE(args) << args.error().message;
    EXPECT_EQ(*args, expected) << style;
  }
}

TEST(AutoArgs, RealsStayRealsAndAnEmptyDefaultIsOne) {
  const std::vector<ParamDef> params{auto_args_param("rate", ValueType::kReal, 1.0),
                                     auto_args_param("name", ValueType::kText, std::string())};
  EXPECT_EQ(*spell_out_auto_args("auto changed", params),
            "{rate!1.0?--rate={rate}} {name!?--name={name}}");
}

TEST(AutoArgs, TellWhatIsWrong) {
  const auto message = [](std::string_view args, std::vector<ParamDef> params) {
    const auto spelled = spell_out_auto_args(args, params);
    return spelled ? "" : spelled.error().message;
  };
  EXPECT_THAT(message("auto dash", kPassed),
              HasSubstr("args: `auto dash` is no style (did you mean `dashes`?); expected some of "
                        "dashes, spaces, bare, flags, no-flags, True, changed"));
  EXPECT_THAT(message("auto flags True", kPassed),
              HasSubstr("args: `auto`: `flags` and `True` contradict each other"));
  EXPECT_THAT(message("auto changed", {auto_args_param("n", ValueType::kText, std::string("a?"))}),
              HasSubstr("`auto changed` cannot leave out `n`, whose default `a?` has a brace"));
}

TEST(AutoArgs, AreTheWordAutoAlone) {
  EXPECT_TRUE(is_auto_args("auto"));
  EXPECT_TRUE(is_auto_args("auto flags"));
  EXPECT_FALSE(is_auto_args("automatic"));
  EXPECT_FALSE(is_auto_args("--auto"));
}

}  // namespace
}  // namespace sweepd::sweepfile
