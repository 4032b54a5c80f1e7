// Mistakes that only the drawing of tables can find are still reported at their place in the file.
#include "runner/daemon/planning/prepare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/daemon/local_pools.h"
#include "tests/sweepfile/catalog.h"

namespace sweepd {
namespace {

// Returns "line:column message" for each mistake.
std::vector<std::string> mistakes(const std::string& tables) {
  const std::string text =
      "sweep: a\nworkload: lm_step\nmatrix: {context: [64, 128]}\ntables:\n" + tables;
  const auto prepared = prepare_sweeps(text, "f.yaml", test::catalog(), local_pools(Machine{}), {});
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
    const auto prepared = prepare_sweeps(text, "f.yaml", test::catalog(), local_pools(machine), {});
    EXPECT_TRUE(prepared->errors.empty());
    return prepared->refusal ? prepared->refusal->message : "";
  };
  EXPECT_EQ(refusal("32"), "");
  EXPECT_EQ(refusal("4096"),
            "sweep `wide`: world_size 4096 is more than 16 ranks a core, and this machine has 2 "
            "cores: at most 32 ranks");
}

struct CommandParams {
  std::string argv, cwd, model;
  std::int64_t context = 0;
  bool causal = false;
  void visit(auto& field) {
    const std::vector<std::string> names{"model", "context", "causal", "steps", "folder"};
    field("argv", argv, "what to run", form_of(TextForm::kCommandLine, names));
    field("cwd", cwd, "where", form_of(TextForm::kTemplate, names));
    field("model", model, "for the template");
    field("context", context, "for the template");
    field("causal", causal, "for the template");
  }
};

PreparedSweeps prepare_command(const std::string& sections) {
  const Catalog catalog{{test::workload<CommandParams>("command", {"timing"}, {})}};
  return *prepare_sweeps("sweep: a\nworkload: command\n" + sections, "f.yaml", catalog,
                         local_pools(Machine{}), {});
}

TEST(PrepareSweeps, AMistakeInATemplateIsAtItsPlace) {
  const auto prepared = prepare_command("params:\n  argv: echo {contxt}\n  cwd: '{model'\n");
  ASSERT_EQ(prepared.errors.size(), 2u);
  EXPECT_EQ(prepared.errors[0].line, 4);
  EXPECT_THAT(prepared.errors[0].message,
              HasSubstr("argv: {contxt} is not a parameter (did you mean `context`?)"));
  EXPECT_THAT(prepared.errors[1].message, HasSubstr("cwd: a { has no matching brace in `{model`"));
}

// Which points set a parameter is known only after they are expanded.
TEST(PrepareSweeps, ATrialThatDoesNotSetWhatItsTemplateNamesIsRefused) {
  const std::string argv = "params: {argv: \"echo {context} {causal} {steps} {folder}\"}\n";
  EXPECT_FALSE(prepare_command(argv + "matrix: {context: [1, 2]}\n").refusal);
  const auto unset = prepare_command(argv + "matrix: {model: [xl]}\n").refusal;
  ASSERT_TRUE(unset);
  EXPECT_EQ(unset->code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(unset->message,
              StartsWith("sweep `a`: argv: {context} is used, but the trial model=xl argv="));
  EXPECT_THAT(unset->message, HasSubstr("does not set `context`"));
  const auto one_point = prepare_command(
      "include:\n  - {argv: 'echo {model}', model: xl}\n  - {argv: 'echo {model}'}\n");
  ASSERT_TRUE(one_point.refusal);
  EXPECT_THAT(one_point.refusal->message, HasSubstr("does not set `model`"));
}

TEST(PrepareSweeps, ZeroAndAnEmptyTextAreValues) {
  const std::string argv = "  argv: \"echo {context} {model}\"\n";
  for (const char* sections :
       {"params:\n  context: 0\n  model: ''\n", "params:\n  model: ''\nmatrix: {context: [1, 0]}\n",
        "params:\n  context: 0\nzip: [{model: [xl, '']}]\n",
        "params:\n  context: 0\ninclude: [{model: xl}, {model: ''}]\n"}) {
    std::string text = sections;
    text.insert(text.find('\n') + 1, argv);
    const auto prepared = prepare_command(text);
    EXPECT_FALSE(prepared.refusal) << text << prepared.refusal->message;
    EXPECT_TRUE(prepared.errors.empty()) << text;
  }
}

TEST(PrepareSweeps, ACommandNeedsAProgram) {
  const auto none = prepare_command("params: {model: xl}\n");
  ASSERT_TRUE(none.refusal);
  EXPECT_EQ(none.refusal->message,
            "sweep `a`: argv: a command needs a program, such as `echo {context}`");
}

}  // namespace
}  // namespace sweepd
