// What parsing leaves to those who draw tables, reported at its place in the file all the same.
#include "runner/daemon/handlers/prepare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/spec/catalog.h"

namespace sweepd {
namespace {

// "line:column message" of each mistake.
std::vector<std::string> mistakes(const std::string& tables) {
  const std::string text =
      "sweep: a\nworkload: lm_step\nmatrix: {context: [64, 128]}\ntables:\n" + tables;
  const auto prepared = prepare_sweeps(text, "f.yaml", test::catalog(), Machine{}, {});
  EXPECT_FALSE(prepared->refusal) << prepared->refusal->message;
  std::vector<std::string> found;
  for (const Diagnostic& d : prepared->errors) {
    found.push_back(std::to_string(d.line) + ":" + std::to_string(d.column) + " " + d.message);
  }
  return found;
}

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

TEST(PrepareSweeps, MistakesInTablesAreAtTheirPlace) {
  EXPECT_THAT(mistakes("  - rows: [context]\n"
                       "    cell: '{men:.1f}'\n"
                       "    unit: sec\n"
                       "    sort: [-men]\n"
                       "  - rows: [context]\n"
                       "    cell: '{mean:.1f} {speedup:.2f}'\n"),
              ElementsAre(StartsWith("6:11 cell, column 2: `men` is not a figure"),
                          HasSubstr("7:11 unit: `sec` is not a unit"),
                          StartsWith("8:11 sort: `men` is neither"),
                          StartsWith("10:11 cell: `{mean:.1f} {speedup:.2f}` compares")));
}

TEST(PrepareSweeps, AMistakeInAValueIsAtTheValueOrAtTheTable) {
  EXPECT_THAT(mistakes("  - rows: [context]\n"
                       "    cell: '{meen}'\n"
                       "    values:\n"
                       "      - {name: A, cell: '{maen}'}\n"
                       "      - {name: B}\n"
                       "      - {name: C}\n"),
              ElementsAre(StartsWith("6:11 cell, column 2: `meen`"),
                          StartsWith("8:25 cell, column 2: `maen`")));
}

TEST(PrepareSweeps, AMistakeOfSpellingHidesNoneOfAnotherTable) {
  EXPECT_THAT(mistakes("  - rows: [contxt]\n"
                       "    unit: sec\n"
                       "  - rows: [context]\n"
                       "    unit: sec\n"),
              ElementsAre(StartsWith("5:12 rows: `contxt` is neither"), HasSubstr("8:11 unit: ")));
}

TEST(PrepareSweeps, AMetricOfAPassThatTheSweepLacks) {
  EXPECT_THAT(mistakes("  - rows: [context]\n"
                       "    values:\n"
                       "      - {name: Step}\n"
                       "      - {name: Peak, metric: peak_allocated_bytes}\n"),
              ElementsAre("8:30 metric: `peak_allocated_bytes` is measured by the memory pass, and "
                          "this sweep has none; write passes: [timing, memory]"));
}

TEST(PrepareSweeps, FarMoreRanksThanCoresAreRefusedByName) {
  Machine machine;
  machine.cores = {0, 1};
  const auto refusal = [&](const std::string& world_size) {
    const std::string text =
        "sweep: wide\nworkload: lm_step\nmatrix: {world_size: [1, " + world_size + "]}\n";
    const auto prepared = prepare_sweeps(text, "f.yaml", test::catalog(), machine, {});
    EXPECT_TRUE(prepared->errors.empty());
    return prepared->refusal ? prepared->refusal->message : "";
  };
  EXPECT_EQ(refusal("32"), "");
  EXPECT_EQ(refusal("4096"),
            "sweep `wide`: world_size 4096 is more than 16 ranks a core, and this machine has 2 "
            "cores: at most 32 ranks");
}

}  // namespace
}  // namespace sweepd
