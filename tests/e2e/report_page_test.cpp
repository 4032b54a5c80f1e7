// `sweepctl report -o FILE`: a page of one sweep, and its tables in other formats.
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>

#include "tests/e2e/experiment_files.h"
#include "tests/e2e/python.h"
#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr auto kPaged =
    "sweep: paged\ndescription: What <b>steps</b> add up to.\nworkload: axpy\n"
    "params: {warmup: 1, size: 4}\nmatrix: {steps: [2, 3]}\n"
    "tables:\n"
    "  - {title: 'Sums & <script>', rows: [steps], metric: fact.y.0, cell: '{mean:.0f}'}\n"
    "  - {rows: [steps], metric: fact.y.0, cell: '{max:.1f}'}\n"
    "plots:\n"
    "  - {title: Sums over steps, x: steps, y: max, metric: fact.y.0}\n";

TEST(ReportPage, TablesPlotsAndHowItWasMeasured) {
  const Sandbox box;
  const Python none("/no/such/python");
  ASSERT_EQ(box.ctl({"submit", "-", "--wait"}, kPaged).exit_code, 0);
  const std::string file = (box.folder() / "report.html").string();
  const Ran ran = box.ctl({"report", "paged", "-o", file});
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err, "") << "nothing must be installed for its plot";
  const std::string page = text_of(file);
  EXPECT_THAT(page,
              AllOf(HasSubstr("<h1>paged</h1>"), HasSubstr("steps"), Not(HasSubstr("<b>")),
                    HasSubstr("<p>2 trials: 2 done, submitted 20"),
                    HasSubstr("<h2>Sums &amp; &lt;script&gt;</h2>"), HasSubstr("<h2>Table 2</h2>"),
                    HasSubstr("aria-label=\"Sums over steps\""),
                    HasSubstr("<h2>How this was measured</h2>")));
  EXPECT_THAT(page, AllOf(HasSubstr("title=\"n 1, valid, done, attempt "), HasSubstr(">7</td>"),
                          HasSubstr("y.0: 7&#10;"), HasSubstr("<th>Host</th>"),
                          HasSubstr("matrix: {steps: [2, 3]}")));
  // The same of a database alone, but for the page's random number.
  const Ran read = box.ctl({"--db", box.state().string(), "report", "paged", "--format", "html"});
  EXPECT_EQ(read.exit_code, 0) << read.err;
  EXPECT_EQ(read.out.size(), page.size());
  const Ran one = box.ctl({"report", "paged", "--table", "2", "--format", "html"});
  EXPECT_THAT(one.out, AllOf(HasSubstr(">7.0</td>"), Not(HasSubstr("<figure class=\"drawn\">"))));

  for (const char* format : {"md", "csv", "json", "latex"}) {
    const std::string tables = (box.folder() / (std::string("tables.") + format)).string();
    const Ran shown = box.ctl({"report", "paged", "--format", format});
    ASSERT_EQ(box.ctl({"report", "paged", "--format", format, "-o", tables}).exit_code, 0);
    EXPECT_EQ(text_of(tables), shown.out) << format;
  }

  const Ran with = box.ctl({"report", "paged", "--with", "n", "--format", "html"});
  EXPECT_EQ(with.exit_code, 2);
  EXPECT_THAT(with.err, HasSubstr("--with is for other formats"));
  const Ran folder = box.ctl({"report", "paged", "-o", "/no/such/folder/report.html"});
  EXPECT_EQ(folder.exit_code, 1);
  EXPECT_THAT(folder.err, HasSubstr("/no/such/folder/report.html"));
  EXPECT_EQ(box.ctl({"report", "nothing", "--format", "html"}).exit_code, 3);
  EXPECT_THAT(box.ctl({"report", "paged", "--watch"}).err, HasSubstr("add -o FILE.html"));
  EXPECT_THAT(box.ctl({"report", "paged", "--watch", "--format", "html"}).err,
              HasSubstr("so it needs a file: -o FILE.html"));
}

TEST(ReportPage, FollowsASweep) {
  const Sandbox box;
  const std::string open = (box.folder() / "open").string();
  ASSERT_EQ(box.ctl({"submit", "-"},
                    "sweep: slow\nprogram: gated\nparameters: {size: 1}\n"
                    "params: {argv: 'sh " +
                        box.write("gate.sh", "while [ ! -e " + open + " ]; do sleep 0.02; done\n") +
                        "', reports: nothing, steps: 1, warmup: 0, device: cpu}\n"
                        "matrix: {size: [1, 2]}\n"
                        "tables: [{title: Slow, rows: [size], where: {phase: step}}]\n")
                .exit_code,
            0);
  const Ran ran = box.ctl({"report", "slow", "--format", "html"});
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("2 trials: 0 done, 2 open"), HasSubstr(">…</td>"),
                             HasSubstr("title=\"n 0, pending, attempt "),
                             HasSubstr("No attempt has measured anything.")));
  const std::string file = (box.folder() / "report.html").string();
  const pid_t client = box.ctl_in_background({"report", "slow", "-o", file, "--watch"});
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(file); }));
  EXPECT_THAT(text_of(file), AllOf(HasSubstr("http-equiv=\"refresh\""), HasSubstr(" open")));
  std::ofstream(open).flush();
  int status = 0;
  ASSERT_EQ(::waitpid(client, &status, 0), client);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_THAT(text_of(file), AllOf(Not(HasSubstr("refresh")), HasSubstr("2 trials: 2 done")));
}

}  // namespace
}  // namespace sweepd::e2e
