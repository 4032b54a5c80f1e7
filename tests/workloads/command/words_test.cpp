// Tests command lines without a shell.
#include "workloads/command/words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sweepd::command {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(SplitWords, KeepsQuotedTextTogetherAndInterpretsNothing) {
  EXPECT_THAT(split_words("", "argv"), IsEmpty());
  EXPECT_THAT(split_words(" \n\t ", "argv"), IsEmpty());
  EXPECT_THAT(split_words("python3 -u  x.py\n--n 3", "argv"),
              ElementsAre("python3", "-u", "x.py", "--n", "3"));
  EXPECT_THAT(split_words(R"(sh -c 'echo "$HOME" \n' "" a"b c"d)", "argv"),
              ElementsAre("sh", "-c", R"(echo "$HOME" \n)", "", "ab cd"));
  EXPECT_THAT(split_words(R"(a\ b "c\"d" ; $(rm) *)", "argv"),
              ElementsAre("a b", "c\"d", ";", "$(rm)", "*"));
}

TEST(SplitWords, NamesAQuoteWithoutAnEnd) {
  try {
    split_words("echo 'a b", "argv");
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(), "argv: a ' is not closed in `echo 'a b`");
  }
}

const std::vector<Variable> kVariables{
    {"context", "512"}, {"arg1", "two words; $(rm)"}, {"folder", "", false}};

TEST(Substitute, PutsValuesIntoOneWord) {
  EXPECT_EQ(substitute("--context={context}", kVariables, "argv"), "--context=512");
  EXPECT_EQ(substitute("{arg1}", kVariables, "argv"), "two words; $(rm)");
  EXPECT_EQ(substitute("{{\"n\":{context}}}", kVariables, "argv"), "{\"n\":512}");
  EXPECT_EQ(substitute("plain", kVariables, "argv"), "plain");
}

TEST(Substitute, AWordMayBecomeSeveralOrNone) {
  EXPECT_THAT(substitute_words("{context=512?--n={context}}", kVariables, "args"),
              ElementsAre("--n=512"));
  EXPECT_THAT(substitute_words("{context!512?--n={context}}", kVariables, "args"), IsEmpty());
  EXPECT_THAT(substitute_words("{arg1*}", kVariables, "args"),
              ElementsAre("two", "words;", "$(rm)"));
}

TEST(Substitute, NamesWhatIsWrong) {
  struct Row {
    const char *word, *message;
  };
  for (const Row& row :
       {Row{"{contxt}", "argv: {contxt} is not a parameter (did you mean `context`?)"},
        Row{"{folder}", "argv: {folder} has no value here"},
        Row{"a{b", "argv: a { has no matching brace in `a{b`"},
        Row{"a}b", "argv: a } has no matching brace in `a}b`"},
        Row{"{}", "argv: {} is not a parameter"}}) {
    try {
      substitute(row.word, kVariables, "argv");
      FAIL() << row.word;
    } catch (const std::invalid_argument& e) {
      EXPECT_THAT(e.what(), HasSubstr(row.message));
    }
  }
}

}  // namespace
}  // namespace sweepd::command
