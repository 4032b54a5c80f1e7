#include "runner/model/template_text.h"

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

TEST(TextForm, SurvivesItsName) {
  for (const TextForm form : {TextForm::kPlain, TextForm::kTemplate, TextForm::kCommandLine,
                              TextForm::kAssignments, TextForm::kNames}) {
    EXPECT_EQ(*text_form_from(name_of(form)), form);
  }
  EXPECT_FALSE(text_form_from("regex"));
}

}  // namespace
}  // namespace sweepd
