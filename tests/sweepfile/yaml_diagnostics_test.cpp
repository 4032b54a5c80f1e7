// Tests the messages about mistakes in the YAML itself.
#include <gmock/gmock.h>

#include "tests/sweepfile/parse.h"

namespace sweepd::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Diagnostics, YamlSyntax) {
  EXPECT_EQ(errors(kHead + "matrix:\n  model: [small, xl\n  context: [128]\n"), R"(
f.yaml:5:10: error: `,` or `]` is missing
  5 |   context: [128]
    |          ^
    = help: the `[` at line 4, column 10 is not closed yet
)");
  EXPECT_EQ(errors("sweep: a\ndescription: time: of a step\n"), R"(
f.yaml:2:18: error: `:` is not expected here
  2 | description: time: of a step
    |                  ^
    = help: quote a text that contains `: `; check that the lines above are indented alike
)");
  EXPECT_EQ(errors(kHead + "params:\n\tbatch: 4\n"), R"(
f.yaml:4:1: error: a tab cannot indent YAML
  4 | 	batch: 4
    | ^
    = help: use spaces
)");
  EXPECT_EQ(errors("sweep: a\nworkload: \"lm_step\nparams: {batch: 4}\n"), R"(
f.yaml:2:11: error: this quote is never closed
  2 | workload: "lm_step
    |           ^
)");
  EXPECT_THAT(errors(kHead + "params: *defaults\n"),
              HasSubstr("f.yaml:3:9: error: no anchor of this name is defined above\n"));
  EXPECT_THAT(errors(kHead + "params: @defaults\n"),
              HasSubstr("f.yaml:3:9: error: YAML cannot begin a value like this\n"));
}

TEST(Diagnostics, YamlThatSweepFilesDoNotUse) {
  EXPECT_EQ(errors(kHead + "params:\n"
                           "  <<: {batch: 4}\n"
                           "  seed: !!int 5\n"
                           "  [a]: 1\n"),
            R"(
f.yaml:4:3: error: merge keys (`<<`) are not part of sweep files
  4 |   <<: {batch: 4}
    |   ^~
    = help: repeat the keys, or give a whole value a name with `&name` and use `*name`

f.yaml:5:9: error: tags (`!name`) are not part of sweep files
  5 |   seed: !!int 5
    |         ^
    = help: write the value alone; its type follows from the parameter

f.yaml:6:3: error: a key must be a name, found a list
  6 |   [a]: 1
    |   ^~~
)");
}

TEST(Diagnostics, MistakesBeforeASyntaxErrorAreShownToo) {
  EXPECT_THAT(messages("sweep: a\nworkload: nop\n---\nsweep: [b\n"),
              ElementsAre(StartsWith("2:11 workload: `nop`"), HasSubstr("is missing")));
}

TEST(Diagnostics, AnAliasIsMarkedAndItsMistakesAreShownOnce) {
  EXPECT_EQ(errors(kHead + "params:\n  batch: &b [1]\n  context: *b\n"), R"(
f.yaml:4:13: error: batch: expected one value, found a list
  4 |   batch: &b [1]
    |             ^~~
    = help: several values of a parameter belong under `matrix`

f.yaml:5:12: error: context: expected one value, found a list
  5 |   context: *b
    |            ^~
    = help: several values of a parameter belong under `matrix`
)");
  EXPECT_THAT(messages(kHead + "include:\n  - &p {batch: x}\n  - *p\n"),
              ElementsAre(StartsWith("4:16 batch: `x`")));
}

TEST(Diagnostics, TheCaretStandsUnderWideCharacters) {
  EXPECT_EQ(errors("sweep: a\nworkload: noop\nparams: {steps: 1, 漢字: é±}\n"), R"(
f.yaml:3:20: error: `漢字` is not a parameter of noop
  3 | params: {steps: 1, 漢字: é±}
    |                    ^~~~
    = help: `sweepctl workloads noop` lists them
)");
}

TEST(Diagnostics, AFileWithoutASweep) {
  EXPECT_EQ(errors(""), R"(
f.yaml:1:1: error: the file has no sweep
    = help: begin with `sweep: name`
)");
  EXPECT_THAT(messages("# only a comment\n---\n"), ElementsAre("1:1 the file has no sweep"));
  EXPECT_THAT(messages("- a\n- b\n"),
              ElementsAre("1:1 a sweep: expected a map (`name: value`), found a list"));
  EXPECT_THAT(messages("hello\n"),
              ElementsAre("1:1 a sweep: expected a map (`name: value`), found a single value"));
}

}  // namespace
}  // namespace sweepd::test
