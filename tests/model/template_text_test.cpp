#include "runner/model/vocabulary/template_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sweepd {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::vector<std::string> kKnown{"context", "model"};

TEST(NamesInText, AreEachOnceAndInOrder) {
  const auto names =
      names_in_text("a {model} --c={context} '{model} {{x}}'", TextForm::kCommandLine, kKnown);
  ASSERT_TRUE(names) << names.error().message;
  EXPECT_THAT(*names, ElementsAre("model", "context"));
  EXPECT_THAT(*names_in_text("{what} is that", TextForm::kPlain, kKnown), IsEmpty());
  EXPECT_THAT(*names_in_text("A=1 B={model}", TextForm::kAssignments, kKnown),
              ElementsAre("model"));
  EXPECT_THAT(*names_in_text("/tmp/it's {model}", TextForm::kTemplate, kKnown),
              ElementsAre("model"));
  EXPECT_THAT(*names_in_text("HF_TOKEN _x1", TextForm::kNames, {}), IsEmpty());
}

TEST(NamesInText, TellWhatIsWrong) {
  struct Row {
    TextForm form;
    const char *text, *message;
  };
  for (const Row& row : {
           Row{TextForm::kCommandLine, "", "a command needs a program, such as `echo {context}`"},
           Row{TextForm::kCommandLine, " ", "a command needs a program, such as `echo {context}`"},
           Row{TextForm::kCommandLine, "echo 'a", "a ' is not closed in `echo 'a`"},
           Row{TextForm::kCommandLine, "x {contxt}",
               "{contxt} is not a parameter (did you mean `context`?); write {{ for a brace"},
           Row{TextForm::kTemplate, "a{b",
               "a { has no matching brace in `a{b`; write {{ for a brace"},
           Row{TextForm::kTemplate, "a}b",
               "a } has no matching brace in `a}b`; write }} for a brace"},
           Row{TextForm::kAssignments, "A=1 B-C",
               "`B-C` is not an assignment; expected NAME=value, or NAME"},
           Row{TextForm::kAssignments, "HF_TOKEN",
               "`HF_TOKEN` sounds like a secret, and values of `env` are stored; name it in "
               "`secrets`"},
           Row{TextForm::kAssignments, "=1",
               "`=1` is not an assignment; expected NAME=value, or NAME"},
           Row{TextForm::kNames, "A B=1", "`B=1` is not the name of an environment variable"},
           Row{TextForm::kNames, "{model}", "`{model}` is not the name of an environment variable"},
       }) {
    const auto names = names_in_text(row.text, row.form, kKnown);
    ASSERT_FALSE(names) << row.text;
    EXPECT_EQ(names.error().message, row.message);
  }
}

Result<std::string> value_in_test(std::string_view name) {
  if (name == "list") return std::string("1 'a b' 3");
  if (name == "none") return std::string();
  if (name == "fast") return std::string("true");
  if (name == "size") return std::string("8");
  return Error{ErrorCode::kInvalidArgument, "no " + std::string(name)};
}

TEST(FillWord, MakesOneWordSeveralOrNone) {
  using Words = std::vector<std::string>;
  for (const auto& [word, expected] : std::vector<std::pair<std::string, Words>>{
           {"--size={size}", {"--size=8"}},
           {"{none}", {""}},
           {"{{size}}", {"{size}"}},
           {"{size}}}", {"8}"}},
           {"{fast=true?--fast}", {"--fast"}},
           {"{fast=false?--no-fast}", {}},
           {"{fast!false?{size!8?--size={size}}}", {}},
           {"{size!9?--size={size}}", {"--size=8"}},
           {"{none=?--empty}", {"--empty"}},
           {"{none!x?{none}}", {""}},
           {"--fast={fast=true?True}{fast=false?False}", {"--fast=True"}},
           {"x{fast=false?y}", {"x"}},
           {"{list,}", {"1,a b,3"}},
           {"{list*}", {"1", "a b", "3"}},
           {"--n={list*}/{size}", {"--n=1/8", "--n=a b/8", "--n=3/8"}},
           {"{size!9?{list*}}", {"1", "a b", "3"}},
           {"{none*}", {}},
       }) {
    const auto words = fill_word(word, value_in_test);
    ASSERT_TRUE(words) << word << ": " << words.error().message;
    EXPECT_EQ(*words, expected) << word;
  }
  for (const auto& [word, message] : std::vector<std::pair<std::string, std::string>>{
           {"{what=1?x}", "no what"},
           {"{size=8}", "{size=8} is a condition without a text; expected {size=VALUE?TEXT}"},
           {"{size*2}", "{size*2} goes on behind the *"},
           {"{size=8?x", "a { has no matching brace in `{size=8?x`; write {{ for a brace"},
           {"{list*}{none*}", "{none*} is the second list of one word"},
       }) {
    const auto words = fill_word(word, value_in_test);
    ASSERT_FALSE(words) << word;
    EXPECT_EQ(words.error().message, message);
  }
  EXPECT_EQ(*fill_template("/tmp/{list,}", value_in_test), "/tmp/1,a b,3");
  EXPECT_FALSE(fill_template("/tmp/{list*}", value_in_test));
}

TEST(NamesInText, AreThoseOfConditionsToo) {
  EXPECT_THAT(*names_in_text("x {context!8?--model={model}}", TextForm::kCommandLine, kKnown),
              ElementsAre("context", "model"));
  EXPECT_FALSE(names_in_text("x {context!8?{modl}}", TextForm::kCommandLine, kKnown));
  EXPECT_FALSE(names_in_text("/tmp/{model*}", TextForm::kTemplate, kKnown));
  EXPECT_TRUE(names_in_text("{model*}", TextForm::kWords, kKnown));
  EXPECT_THAT(*names_in_text("{a} 'b c'", TextForm::kList, kKnown), IsEmpty());
  EXPECT_FALSE(names_in_text("'b c", TextForm::kList, kKnown));
}

TEST(AsWord, IsCutBackToTheSameText) {
  for (const char* text : {"", "a", "a b", "it's \"\\ \t"}) {
    EXPECT_THAT(*cut_words(as_word(text)), ElementsAre(text));
  }
}

TEST(TextForm, SurvivesItsName) {
  for (const TextForm form :
       {TextForm::kPlain, TextForm::kTemplate, TextForm::kCommandLine, TextForm::kAssignments,
        TextForm::kNames, TextForm::kWords, TextForm::kList}) {
    EXPECT_EQ(*text_form_from(name_of(form)), form);
  }
  EXPECT_FALSE(text_form_from("regex"));
}

}  // namespace
}  // namespace sweepd
