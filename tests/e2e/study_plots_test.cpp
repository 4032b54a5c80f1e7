// Plots in the document of a study: its pictures, and which of them.
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
using testing::StartsWith;

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
  std::filesystem::path out() const { return box.folder() / "writeup"; }
  std::string markdown() const { return text_of(out() / "writeup.md"); }
  std::string page() const { return text_of(out() / "writeup.html"); }

  const Sandbox box;
};

TEST_F(StudyPlotsTest, APictureForEachPlotThatAPartNames) {
  const Python python("/no/such/python");  // nothing must be installed
  const Ran ran = study();
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(markdown(), HasSubstr(" 9 |\n\n"
                                    "![Sums \\[of\\] steps](plots/sums-sums-of-steps.svg)\n\n"
                                    "![Smallest](plots/sums-smallest.svg)\n"));
  EXPECT_THAT(text_of(out() / "plots/sums-smallest.svg"),
              AllOf(StartsWith("<svg xmlns=\"http://www.w3.org/2000/svg\""),
                    HasSubstr("Smallest</text>"), HasSubstr("<title>steps: 2&#10;")));
  // The page is one file, with the pictures in it.
  EXPECT_THAT(page(), AllOf(HasSubstr("<figure class=\"drawn\"><svg class=\"plot\""),
                            HasSubstr("aria-label=\"Smallest\""), Not(HasSubstr("plots/"))));

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

}  // namespace
}  // namespace sweepd::e2e
