// Plots in the document of a study: pictures, text without what draws them, and which of them.
#include <gmock/gmock.h>

#include <filesystem>

#include "tests/e2e/experiment_files.h"
#include "tests/e2e/python.h"
#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr auto kDrawnSums =
    "sweep: sums\nworkload: axpy\nparams: {warmup: 1, size: 4}\nmatrix: {steps: [2, 3]}\n"
    "tables:\n"
    "  - {title: Sums, rows: [steps], metric: fact.y.0, cell: '{mean:.0f}'}\n"
    "plots:\n"
    "  - {title: 'Sums [of] steps', x: steps, y: {max: Sum}, metric: fact.y.0}\n"
    "  - {title: Smallest, x: steps, y: {min: Sum}, metric: fact.y.0}\n";

class StudyPlotsTest : public testing::Test {
 protected:
  StudyPlotsTest() { box.write("sums.yaml", kDrawnSums); }

  // Of one part that shows the file, with more keys.
  Ran study(const std::string& keys = "") {
    const std::string file = box.write("study.yaml",
                                       "study: drawn\nscales: {a: {}}\nchapters:\n  - title: Sums\n"
                                       "    parts: [{file: sums.yaml" +
                                           keys + "}]\n");
    return box.ctl({"study", file, "-o", out().string()});
  }
  // A Python that draws the same picture of everything.
  std::string painter() {
    const std::string file = box.write(
        "painter", "#!/bin/sh\necho '<svg xmlns=\"http://www.w3.org/2000/svg\"><g/></svg>'\n");
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return file;
  }
  std::filesystem::path out() const { return box.folder() / "writeup"; }
  std::string markdown() const { return text_of(out() / "writeup.md"); }
  std::string page() const { return text_of(out() / "writeup.html"); }

  const Sandbox box;
};

TEST_F(StudyPlotsTest, APictureForEachPlotThatAPartNames) {
  const Python python(painter());
  const Ran ran = study();
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(markdown(), HasSubstr(" 9 |\n\n"
                                    "![Sums \\[of\\] steps](plots/sums-sums-of-steps.svg)\n\n"
                                    "![Smallest](plots/sums-smallest.svg)\n"));
  EXPECT_THAT(text_of(out() / "plots/sums-smallest.svg"), HasSubstr("<g/>"));
  // The page is one file, with the pictures in it.
  EXPECT_THAT(page(), AllOf(HasSubstr("<img src=\"data:image/svg+xml;charset=utf-8,%3Csvg xmlns="
                                      "%22http://www.w3.org/2000/svg%22%3E%3Cg/%3E"),
                            HasSubstr("alt=\"Smallest\""), Not(HasSubstr("plots/"))));

  // A part shows those that it names.
  ASSERT_EQ(study(", plots: [small]").exit_code, 0);
  EXPECT_THAT(markdown(), AllOf(HasSubstr("**Sums**"), HasSubstr("![Smallest]"),
                                Not(HasSubstr("sums-of-steps.svg"))));
  ASSERT_EQ(study(", tables: [sums]").exit_code, 0);
  EXPECT_THAT(markdown(), AllOf(HasSubstr("**Sums**"), Not(HasSubstr("!["))));
  ASSERT_EQ(study(", tables: [], plots: [sums]").exit_code, 0);
  EXPECT_THAT(markdown(), AllOf(Not(HasSubstr("**Sums**")), HasSubstr("sums-of-steps.svg")));
  const Ran wrong = study(", plots: [Smalest]");
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, AllOf(HasSubstr("study.yaml:5:39: error: plots: sums.yaml has no plot "
                                         "`Smalest`"),
                               HasSubstr("did you mean `Smallest`")));
}

TEST_F(StudyPlotsTest, WithoutWhatDrawsThemTheyAreTextAndARefusedOneIsMissing) {
  const Python python("/no/such/python");
  const Ran ran = study();
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("note: no picture: `/no/such/python`: No such file or directory; "
                                 "`/no/such/python -m pip install vl-convert-python`"));
  EXPECT_THAT(markdown(),
              AllOf(HasSubstr("\n\n```\nSums [of] steps\n"), HasSubstr("max of y.0, n = 1")));
  EXPECT_THAT(page(), HasSubstr("<pre><code>Smallest\n"));
  EXPECT_FALSE(std::filesystem::exists(out() / "plots"));

  // One that cannot be drawn is missing.
  box.write("refuses", "#!/bin/sh\necho 'no such scale' >&2\nexit 1\n");
  std::filesystem::permissions(box.folder() / "refuses", std::filesystem::perms::owner_all);
  const Python refusing((box.folder() / "refuses").string());
  const Ran missing = study(", plots: [small]");
  EXPECT_EQ(missing.exit_code, 1);
  const auto* const kWhat =
      "no plot `Smallest` of sweep `sums`: vl-convert did not draw the plot: no such scale";
  EXPECT_THAT(missing.err, HasSubstr(std::string("study.yaml:5:20: ") + kWhat));
  EXPECT_THAT(markdown(), HasSubstr(std::string("**[") + kWhat + "]**"));
}

}  // namespace
}  // namespace sweepd::e2e
