// Tests that a study's document matches its figures, in its long and its short form, and that
// a claim without one of its texts is a mistake.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/e2e/experiment_files.h"
#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Figures of `axpy` follow from the number of steps: y = 1 + 2 steps.
constexpr auto kClaimedSums =
    "sweep: sums\nworkload: axpy\nparams: {warmup: 1, size: 4}\nmatrix: {steps: [2, 3]}\n"
    "tables:\n"
    "  - {title: Sums, rows: [steps], metric: fact.y.0, cell: '{mean:.0f}'}\n"
    "  - {title: Largest, rows: [steps], metric: fact.y.0, cell: '{max:.1f}'}\n";
constexpr auto kClaims = R"(study: s
scales: {a: {}}
chapters:
  - title: Sums
    parts:
      - figures:
          two: sweep=sums steps=2 metric=fact.y.0 cell="{mean:.0f}"
          three: sweep=sums steps=3 metric=fact.y.0 cell="{mean:.0f}"
          none: sweep=sums steps=3 metric=fact.z cell="{mean}"
          word: sweep=sums steps=3 metric=fact.y.0 cell="{text}"
        text:
          - claim: "{two} < 0.9 * {three}"
            holds: Fewer steps add up to {{ two }}.
            fails: no
            unknown: no
            finding: Two steps add up to {{ two }}.
          - claim: "{two} ~ {three} within 5 %"
            holds: no
            fails: That is not {{ three }}.
            unknown: no
            finding: no
          - claim: "{word} ~ 9 within 0 %"
            holds: It is a text.
            fails: no
            unknown: no
          - claim: "{none} > 0"
            holds: no
            fails: no
            unknown: A third is {{ none }}, {{ why }}.
        file: files/sums.yaml
        short: [Largest]
  - title: Other
    parts: [{text: Not in short.}]
)";

TEST(StudyClaims, TheDocumentSaysWhatTheFiguresSay) {
  const Sandbox box;
  std::filesystem::create_directories(box.folder() / "files");
  box.write("files/sums.yaml", kClaimedSums);
  const std::string file = box.write("study.yaml", kClaims);
  const std::filesystem::path out = box.folder() / "writeup";
  const auto study = [&](const std::string& option) {
    return box.ctl({"study", file, "-o", out.string(), option});
  };
  const Ran checked = study("--check");
  EXPECT_EQ(checked.exit_code, 0) << checked.err;
  EXPECT_THAT(checked.out, HasSubstr("no mistake at 1 scale; 4 claims"));
  EXPECT_EQ(box.sql("select count(*) from sweep"), "0");
  const Ran whole = study("--retry");
  EXPECT_EQ(whole.exit_code, 0) << whole.err;
  EXPECT_THAT(
      text_of(out / "writeup.md"),
      HasSubstr("\n\nFindings:\n\n- Two steps add up to 7.\n\n## Sums\n\nFewer steps add up to 7. "
                "That is not 9. It is a text. A third is —, "));
  const Ran brief = study("--short");
  EXPECT_EQ(brief.exit_code, 0) << brief.err;
  EXPECT_THAT(text_of(out / "short.md"),
              AllOf(HasSubstr("That is not 9."), HasSubstr("**Largest**"),
                    Not(HasSubstr("**Sums**")), Not(HasSubstr("Not in short"))));
  EXPECT_EQ(box.sql("select count(*) from sweep"), "1") << "the same sweeps";

  std::string text = kClaims;
  const std::string line = "            fails: no\n";
  box.write("study.yaml", text.erase(text.find(line), line.size()));
  const Ran incomplete = study("--check");
  EXPECT_EQ(incomplete.exit_code, 2);
  EXPECT_THAT(incomplete.err, HasSubstr("study.yaml:12:13: error: the claim has no `fails`"));
}

TEST(StudyClaims, WhatWasSkippedIsSaidWithItsReason) {
  const Sandbox box;
  const std::string script = box.write(
      "maybe.sh", "[ \"$1\" = works ] || { echo 'needs a licence; buy one'; exit 77; }\n");
  box.write(
      "parts.yaml",
      "sweep: parts\nprogram: maybe\nparameters: {kind: works}\n"
      "params: {argv: 'sh " +
          script +
          " {kind}', reports: nothing, steps: 2, warmup: 0, "
          "device: cpu}\nmatrix: {kind: [works, absent]}\ntables:\n"
          "  - {title: Both, rows: [kind], cell: '{n}', where: {phase: step}}\n"
          "  - {title: One, rows: [kind], cell: '{n}', where: {phase: step, kind: absent}}\n");
  const std::string file = box.write("study.yaml", R"(study: s
scales: {a: {}}
chapters:
  - title: Parts
    parts:
      - figures:
          absent: sweep=parts kind=absent phase=step cell="{n}"
        text:
          - {claim: "{absent} > 0", holds: It runs., fails: no, unknown: "Untold ({{ why }})."}
        file: parts.yaml
)");
  const std::filesystem::path out = box.folder() / "writeup";
  const Ran ran = box.ctl({"study", file, "-o", out.string()});
  EXPECT_EQ(ran.exit_code, 4) << ran.err;
  EXPECT_THAT(
      text_of(out / "writeup.md"),
      AllOf(HasSubstr("Untold (needs a licence)."), HasSubstr("**Both**\n"),
            HasSubstr("Skipped here (needs a licence): **One**."), Not(HasSubstr("**One**\n"))));
}

}  // namespace
}  // namespace sweepd::e2e
