// A finished sweep keeps its results when its points are measured again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Ten steps of as many ms as the file says, without a watcher.
constexpr const char* kTick = R"(
read time < time.txt
i=0
while [ $i -lt 10 ]; do
  echo "{\"step\":$i,\"time\":$time.0$i}" >&$SWEEPD_METRICS_FD
  i=$((i + 1))
done
)";

class OwnResults : public testing::Test {
 protected:
  Ran run(const std::string& name, const std::string& time,
          const std::vector<std::string>& more = {}) const {
    box_.write("tick.sh", kTick);
    box_.write("time.txt", time + "\n");
    const std::string file = box_.write(
        name + ".yaml", "sweep: " + name +
                            "\nworkload: command\nparams: {cwd: " + box_.folder().string() +
                            ", argv: sh tick.sh, warmup: 0, device: cpu, repeats: 3}\ntables: "
                            "[{title: Ticks, rows: [argv], cell: \"{median:.1f} ms\"}]\n");
    std::vector<std::string> arguments{"run", file};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return box_.ctl(arguments);
  }
  std::string latest() const { return box_.sql("select uid from sweep order by id desc limit 1"); }
  std::string printed(const std::vector<std::string>& arguments) const {
    const Ran ran = box_.ctl(arguments);
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    return ran.out;
  }
  std::string page(const std::vector<std::string>& more) const {
    const std::string file = box_.folder() / "page.html";
    std::vector<std::string> arguments{"report", "-o", file};
    arguments.insert(arguments.end(), more.begin(), more.end());
    printed(arguments);
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }
  Sandbox box_;
};

TEST_F(OwnResults, StayInEveryTableAndAreComparedWithTheNewest) {
  EXPECT_THAT(run("tick", "1").out, HasSubstr("1.0 ms"));
  const std::string first = latest();
  EXPECT_THAT(printed({"report", "tick"}), Not(HasSubstr("--newest")));
  EXPECT_THAT(run("tick", "2", {"--again"}).out, HasSubstr("2.0 ms"));
  const std::string second = latest();
  EXPECT_THAT(run("other", "3", {"--again"}).out, HasSubstr("3.0 ms"));

  const auto is_first = AllOf(
      HasSubstr("1.0 ms"),
      HasSubstr("1 point of this sweep was measured again later; `--newest` shows the newest"));
  EXPECT_THAT(printed({"report", first}), is_first);
  EXPECT_THAT(printed({"report", "tick@previous"}), is_first);
  EXPECT_THAT(printed({"report", second}), HasSubstr("2.0 ms"));
  EXPECT_THAT(printed({"report", "other"}), AllOf(HasSubstr("3.0 ms"), Not(HasSubstr("--newest"))));
  EXPECT_THAT(printed({"report", first, "--newest"}),
              AllOf(HasSubstr("3.0 ms"), HasSubstr("the newest results are shown")));

  const std::vector<std::string> query{"query",  "--sweep",        first, "--rows", "argv",
                                       "--cell", "{median:.1f} ms"};
  EXPECT_THAT(printed(query), HasSubstr("1.0 ms"));
  std::vector<std::string> newest = query;
  newest.emplace_back("--newest");
  EXPECT_THAT(printed(newest), HasSubstr("3.0 ms"));
  const std::vector<std::string> plot{"plot", "command", "--sweep", first,      "--x",
                                      "argv", "--y",     "median",  "--format", "vega"};
  EXPECT_THAT(printed(plot), AllOf(HasSubstr("1.0"), Not(HasSubstr("3.0"))));
  newest = plot;
  newest.emplace_back("--newest");
  EXPECT_THAT(printed(newest), HasSubstr("3.0"));
  // In a cell: an attempt of the page may have taken 23.0 ms.
  EXPECT_THAT(page({first}), AllOf(HasSubstr(">1.0 ms<"), Not(HasSubstr(">3.0 ms<"))));
  EXPECT_THAT(page({first, "--newest"}), HasSubstr(">3.0 ms<"));

  EXPECT_THAT(printed({"compare", "tick@previous", "tick"}), HasSubstr("slower"));
  EXPECT_THAT(printed({"compare", "tick", "tick@previous"}), HasSubstr("faster"));
  EXPECT_THAT(printed({"compare", "tick@previous@" + box_.state().string(), "tick"}),
              HasSubstr("slower"))
      << "the same of a database that is named";
  const Ran none = box_.ctl({"compare", "other@previous", "other"});
  EXPECT_EQ(none.exit_code, 3);
  EXPECT_THAT(none.err, HasSubstr("no sweep `other` was submitted before"));
  EXPECT_THAT(printed({"query", "--sweep", "tick@previous,tick", "--rows", "sweep", "--cell",
                       "{median:.1f} ms"}),
              AllOf(HasSubstr("1.0 ms"), HasSubstr("2.0 ms")));
}

}  // namespace
}  // namespace sweepd::e2e
