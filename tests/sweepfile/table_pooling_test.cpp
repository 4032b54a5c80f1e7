// A table names, fixes or pools every parameter that its sweep varies.
#include <gmock/gmock.h>

#include "tests/sweepfile/parse.h"

namespace sweepd::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::string kPooledMatrix = kHead + "matrix: {context: [64, 128], batch: [1, 2, 4, 8, 16]}\n";

TEST(TablePooling, IsAMistakeAtTheTable) {
  EXPECT_EQ(errors(kPooledMatrix + "tables:\n"
                                   "  - title: Time\n"
                                   "    rows: [context]\n"),
            R"(
f.yaml:5:5: error: the cells of this table would pool batch (1, 2, 4, 8 ...), which it neither names nor fixes
  5 |   - title: Time
    |     ^~~~~
    = help: add it to `rows` or `columns`, fix it in `where`, or write `pool: [batch]`
)");
}

TEST(TablePooling, EachWayToSayItIsEnough) {
  for (const char* table :
       {"{rows: [context, batch]}", "{rows: [context], columns: [batch]}",
        "{rows: [context], where: {batch: 4}}", "{rows: [context], pool: [batch]}",
        "{rows: [context], pool: [batch, repeat]}",
        "{rows: [context], values: [{where: {batch: 1}}, {where: {batch: 2}}]}",
        "{rows: [context], where: {batch: [1, 2]}, values: [{where: {batch: 1}}]}"}) {
    EXPECT_THAT(messages(kPooledMatrix + "tables: [" + table + "]\n"), IsEmpty()) << table;
  }
}

TEST(TablePooling, SeveralValuesInAFilterFixNothing) {
  EXPECT_THAT(messages(kPooledMatrix + "tables: [{rows: [context], where: {batch: [1, 2]}}]\n"),
              ElementsAre("4:10 the cells of this table would pool batch (1, 2), which it neither "
                          "names nor fixes"));
  EXPECT_THAT(
      messages(kPooledMatrix + "tables: [{rows: [context], values: [{where: {batch: 1}}, {}]}]\n"),
      ElementsAre("4:10 the cells of this table would pool batch (1, 2, 4, 8 ...), which it "
                  "neither names nor fixes"));
}

// A parameter of a zip group that differs in all its points identifies them.
TEST(TablePooling, AZipGroupIsNamedByAParameterThatTellsItsPointsApart) {
  const std::string zip = kHead + "zip: [{model: [tiny, custom, custom], d_model: [0, 64, 128]}]\n";
  EXPECT_THAT(messages(zip + "tables: [{rows: [d_model]}]\n"), IsEmpty());
  EXPECT_THAT(messages(zip + "tables: [{rows: [model]}]\n"),
              ElementsAre("4:10 the cells of this table would pool d_model (64, 128), which it "
                          "neither names nor fixes"));
  EXPECT_THAT(messages(zip + "tables: [{rows: [model], where: {d_model: [0, 64]}}]\n"), IsEmpty());
}

// Only the remaining points count.
TEST(TablePooling, ExcludedPointsAreNotPooled) {
  const std::string sweep = kHead +
                            "matrix: {context: [64, 128], batch: [1, 2]}\n"
                            "exclude: [{context: 64, batch: 2}, {context: 128, batch: 1}]\n";
  EXPECT_THAT(messages(sweep + "tables: [{rows: [context]}]\n"), IsEmpty());
  EXPECT_THAT(messages(sweep + "tables: [{rows: [phase]}]\n").size(), 1U);
}

TEST(TablePooling, IncludedPointsCount) {
  const std::string sweep =
      kHead + "matrix: {context: [64, 128]}\ninclude: [{context: 64, batch: 8}]\n";
  EXPECT_THAT(messages(sweep + "tables: [{rows: [context]}]\n"),
              ElementsAre("5:10 the cells of this table would pool batch (4, 8), which it neither "
                          "names nor fixes"));
  EXPECT_THAT(messages(sweep + "tables: [{rows: [context, batch]}]\n"), IsEmpty());
}

// They do not make another trial.
TEST(TablePooling, SchedulingParametersAreNotPooled) {
  EXPECT_THAT(
      messages(kHead + "matrix: {context: [64], repeats: [1, 2]}\ntables: [{rows: [context]}]\n"),
      IsEmpty());
}

TEST(TablePooling, TheNameOfADeviceSaysItsKind) {
  const std::string sweep = kHead + "matrix: {device: [cpu, cuda]}\n";
  EXPECT_THAT(messages(sweep + "tables: [{rows: [device_name]}]\n"), IsEmpty());
  EXPECT_THAT(messages(sweep + "tables: [{rows: [host]}]\n").size(), 1U);
}

TEST(TablePooling, OverridesMayMakeOrMendIt) {
  const std::string sweep =
      kHead + "params: {batch: 4}\nmatrix: {context: [64, 128]}\ntables: [{rows: [context]}]\n";
  EXPECT_THAT(messages(sweep), IsEmpty());
  EXPECT_THAT(messages(sweep, {"batch=4,8"}),
              ElementsAre("5:10 the cells of this table would pool batch (4, 8), which it neither "
                          "names nor fixes (`--set batch` varies it)"));
  const std::string pooling = kPooledMatrix + "tables: [{rows: [context]}]\n";
  EXPECT_THAT(messages(pooling, {"batch=4"}), IsEmpty());
}

TEST(TablePooling, NamesMustBeParameters) {
  EXPECT_EQ(
      errors(kHead +
             "tables: [{rows: [context], pool: [btach, host]}, {rows: [batch], pool: seed}]\n"),
      R"(
f.yaml:3:35: error: pool: `btach` is not a parameter of lm_step
  3 | tables: [{rows: [context], pool: [btach, host]}, {rows: [batch], pool: seed}]
    |                                   ^~~~~
    = help: did you mean `batch`?

f.yaml:3:42: error: pool: `host` is not a parameter of lm_step
  3 | tables: [{rows: [context], pool: [btach, host]}, {rows: [batch], pool: seed}]
    |                                          ^~~~

f.yaml:3:72: error: pool: expected a list of parameters, found a single value
  3 | tables: [{rows: [context], pool: [btach, host]}, {rows: [batch], pool: seed}]
    |                                                                        ^~~~
    = help: write [seed]
)");
}

}  // namespace
}  // namespace sweepd::test
