// Plots that a sweep file declares, plots of anything else, and pictures with and without their
// drawing program.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/e2e/experiment_files.h"
#include "tests/e2e/python.h"
#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

const char* const kTwoPlots =
    "sweep: drawn\n"
    "workload: noop\n"
    "params: {sleep: 1ms}\n"
    "matrix: {steps: [2, 4], warmup: [0, 1]}\n"
    "plots:\n"
    "  - {title: Time & <script>, x: steps, y: {median: Time}, color: warmup, unit: us}\n"
    "  - {title: Heat, mark: heatmap, x: steps, y: warmup, color: mean}\n";

TEST(Plot, DrawsWhatTheSweepDeclares) {
  const Sandbox box;
  ASSERT_EQ(box.ctl({"submit", "-", "--wait"}, kTwoPlots).exit_code, 0);
  EXPECT_THAT(box.ctl({"report", "drawn"}).err,
              HasSubstr("note: `sweepctl plot drawn` draws `Time & <script>`, `Heat`"));
  const Ran text = box.ctl({"plot", "drawn"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, AllOf(HasSubstr("Time & <script>"), HasSubstr("median of time, n = 2 to 4"),
                              HasSubstr("● 0   ○ 1"), HasSubstr("\nHeat\n")));
  const Ran vega = box.ctl({"plot", "drawn", "--plot", "heat", "--format", "vega"});
  const auto spec = nlohmann::json::parse(vega.out);
  EXPECT_EQ(spec["title"]["text"], "Heat");
  EXPECT_EQ(spec["data"]["values"].size(), 4U);
  EXPECT_EQ(
      box.ctl({"--db", box.state().string(), "plot", "drawn", "--plot", "heat", "--format", "vega"})
          .out,
      vega.out)
      << "a database is enough";
  const auto folder = box.folder() / "new/plots";
  const Ran all = box.ctl({"plot", "drawn", "--format", "vega", "-o", folder.string() + "/"});
  EXPECT_EQ(all.exit_code, 0) << all.err;
  EXPECT_EQ(text_of(folder / "heat.vl.json"), vega.out);
  EXPECT_TRUE(std::filesystem::exists(folder / "time-script.vl.json"));
  // Plots of one title have their own files.
  ASSERT_EQ(box.ctl({"submit", "-", "--wait"},
                    "sweep: same\nworkload: noop\nplots:\n"
                    "  - {title: Time, x: steps, y: mean}\n"
                    "  - {title: Time, x: steps, y: max}\n")
                .exit_code,
            0);
  const Ran same = box.ctl({"plot", "same", "--format", "vega", "-o", box.folder().string()});
  EXPECT_EQ(same.exit_code, 0) << same.err;
  EXPECT_THAT(text_of(box.folder() / "time.vl.json"), HasSubstr("mean of time"));
  EXPECT_THAT(text_of(box.folder() / "time-2.vl.json"), HasSubstr("max of time"));
}

TEST(Plot, SaysWhatIsWrong) {
  const Sandbox box;
  ASSERT_EQ(box.ctl({"submit", "-", "--wait"}, kTwoPlots).exit_code, 0);
  struct Mistake {
    std::vector<std::string> options;
    int exit_code;
    const char* message;
  };
  const std::vector<Mistake> cases{
      {{"drawn", "--plot", "3"}, 3, "no plot `3`; the sweep has 1 `Time & <script>`, 2 `Heat`"},
      {{"drawn", "-o", "/tmp/one.svg"},
       2,
       "there are 2 plots: `Time & <script>`, `Heat`; choose one"},
      {{"nothing"}, 3, "nothing"},
      {{"noop", "--x", "stps", "--y", "mean"},
       2,
       "x: there is no column `stps` (did you mean `steps`?)"},
      {{"noop", "--x", "steps"}, 2, "a plot needs --y"},
      {{"drawn", "--color", "warmup"}, 2, "--color is for a plot of your own; add --x and --y"},
      {{"drawn", "--stack"}, 2, "--stack is for a plot of your own"},
      {{"noop", "--x", "steps", "--y", "mean", "--plot", "1"}, 2, "--plot chooses a declared plot"},
      {{"drawn", "--x", "steps", "--y", "mean"}, 3, "a sweep is named with --sweep drawn"},
      {{"noop", "--x", "steps", "--y", "speedup", "--baseline", "warmup=0,1"},
       2,
       "--baseline: `warmup=0,1` must be name=value"},
      {{"noop", "--x", "steps", "--y", "mean"},
       2,
       "these points would pool warmup (0, 1): add --color warmup or --where warmup=0"},
      {{"drawn", "--plot", "Heat", "--format", "vega", "-o", "/proc/no/such/folder/x"},
       1,
       "/proc/no/such/folder/x"},
  };
  for (const Mistake& each : cases) {
    std::vector<std::string> words{"plot"};
    words.insert(words.end(), each.options.begin(), each.options.end());
    const Ran ran = box.ctl(words);
    EXPECT_EQ(ran.exit_code, each.exit_code) << each.message << "\n" << ran.out;
    EXPECT_THAT(ran.err, HasSubstr(each.message));
  }
  box.ctl({"submit", "-", "--wait"}, "sweep: plain\nworkload: noop\n");
  EXPECT_THAT(box.ctl({"plot", "plain"}).err, HasSubstr("sweep `plain` declares no plots"));
}

TEST(Plot, WithoutVlConvertTheSpecificationIsWritten) {
  const Sandbox box;
  ASSERT_EQ(box.ctl({"submit", "-", "--wait"}, kTwoPlots).exit_code, 0);
  const std::string file = (box.folder() / "heat.png").string();
  const std::vector<std::string> plot{"plot", "drawn", "--plot", "Heat", "-o", file};
  // No Python at all, and one without the library.
  const std::string bare =
      box.write("python", "#!/bin/sh\necho \"No module named 'vl_convert'\" >&2\nexit 3\n");
  std::filesystem::permissions(bare, std::filesystem::perms::owner_all);
  for (const std::string& program : {std::string("/no/such/python"), bare}) {
    const Python python(program);
    const Ran ran = box.ctl(plot);
    EXPECT_EQ(ran.exit_code, 6);
    EXPECT_THAT(ran.err,
                AllOf(HasSubstr("no picture: `" + program),
                      HasSubstr("pip install vl-convert-python"), HasSubstr("heat.vl.json")));
    EXPECT_FALSE(std::filesystem::exists(file));
    EXPECT_TRUE(nlohmann::json::accept(text_of(box.folder() / "heat.vl.json")));
    std::filesystem::remove(box.folder() / "heat.vl.json");
  }
}

TEST(Plot, AnSvgNeedsNothing) {
  const Sandbox box;
  const Python none("/no/such/python");
  ASSERT_EQ(box.ctl({"submit", "-", "--wait"}, kTwoPlots).exit_code, 0);
  const auto svg = box.folder() / "time.svg";
  const Ran drawn = box.ctl({"plot", "drawn", "--plot", "1", "-o", svg.string()});
  EXPECT_EQ(drawn.exit_code, 0) << drawn.err;
  EXPECT_THAT(text_of(svg), AllOf(StartsWith("<svg"), HasSubstr("Time &amp; &lt;script&gt;")));
}

TEST(Plot, VlConvertMakesAPng) {
  const std::string program = python_with_vl_convert();
  if (program.empty()) GTEST_SKIP() << "tools/fetch_python_packages has not run";
  const Python python(program);
  const Sandbox box;
  ASSERT_EQ(box.ctl({"submit", "-", "--wait"}, kTwoPlots).exit_code, 0);
  const auto png = box.folder() / "heat.png";
  EXPECT_EQ(box.ctl({"plot", "drawn", "--plot", "2", "-o", png.string()}).exit_code, 0);
  EXPECT_THAT(text_of(png), StartsWith("\x89PNG"));
}

}  // namespace
}  // namespace sweepd::e2e
