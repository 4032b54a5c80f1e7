// A program of the user with its own parameters and metrics, from the file to the table.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Reports a rate that grows with the size and falls with the kernel `slow`.
constexpr const char* kScript = R"(
for word; do
  case $word in --size=*) size=${word#*=} ;; --kernel=*) kernel=${word#*=} ;; esac
done
test "$SWEEPD_PARAM_size" = "$size" || { echo "no SWEEPD_PARAM_size"; exit 1; }
rate=$size
if [ "$kernel" = slow ]; then rate=$((size / 2)); fi
i=0
while [ $i -lt 6 ]; do
  echo "{\"step\":$i,\"time\":{\"step\":$((1000 / rate)),\"load\":1},\"rate\":$rate.$i,\"plain\":7}" >&3
  i=$((i + 1))
done
echo '{"metrics":{"joules":2.5}}' >&3
)";

class Program : public testing::Test {
 protected:
  // A file whose parameters, axes and other sections are these.
  std::string file(const std::string& name, const std::string& parameters,
                   const std::string& sections) const {
    return "sweep: " + name + "\nprogram: mm\nparameters: {" + parameters +
           "}\n"
           "metrics: {rate: {unit: GFLOP/s, better: higher}, joules: {unit: J, better: lower}}\n"
           "phases: [load]\n"
           "params: {argv: 'sh " +
           script_ + "', args: auto, warmup: 1, device: cpu}\n" + sections;
  }
  Ran submit(const std::string& text) const { return box.ctl({"submit", "-", "--wait"}, text); }

  Sandbox box;
  std::string script_ = box.write("mm.sh", kScript);
};

TEST_F(Program, HasATableViewFiltersAndLabelsOfItsOwn) {
  const Ran ran =
      submit(file("first", "size: {default: 100, help: rows}, kernel: fast",
                  "matrix: {size: [100, 200], kernel: [fast, slow]}\n"
                  "tables:\n"
                  "  - rows: [size]\n"
                  "    columns: [kernel]\n"
                  "    metric: rate\n"
                  "    cell: '{mean:.1f}'\n"
                  "    bold: best_in_row\n"
                  "  - rows: [size, kernel]\n"
                  "    values:\n"
                  "      - {name: Energy, metric: joules, cell: '{mean:.1f} (n = {n})'}\n"
                  "      - {name: Plain, metric: plain, cell: '{mean:.0f}'}\n"
                  "      - {name: Load, where: {phase: load}, cell: '{mean:.0f}'}\n"));
  ASSERT_EQ(ran.exit_code, 0) << ran.out << ran.err << box.ctl({"show", "first"}).out;
  const std::string report = box.ctl({"report", "first", "--format", "md"}).out;
  EXPECT_THAT(report, AllOf(HasSubstr("GFLOP/s"), HasSubstr("**200.3"), HasSubstr(" 100.3"),
                            HasSubstr("2.5 (n = 1)"), HasSubstr("Energy (J)")));
  EXPECT_EQ(box.sql("select group_concat(size || kernel) from (select size, kernel from mm where "
                    "phase = 'step' order by 1, 2)"),
            "100fast,100slow,200fast,200slow");
  EXPECT_THAT(box.ctl({"query", "mm", "--rows", "kernel", "--where", "size=200", "--metric", "rate",
                       "--cell", "{max:.0f}", "--format", "csv"})
                  .out,
              AllOf(HasSubstr("fast,200.5"), HasSubstr("slow,100.5")));
  EXPECT_THAT(box.ctl({"show", "first"}).out, HasSubstr("size=200 kernel=slow"));
  EXPECT_THAT(box.ctl({"workloads", "mm"}).out, AllOf(HasSubstr("size"), HasSubstr("rows")));
  const Ran compared =
      box.ctl({"compare", "first", "--by", "kernel=slow,fast", "--metric", "rate"});
  EXPECT_THAT(compared.out, AllOf(HasSubstr("better"), Not(HasSubstr("faster")))) << compared.err;

  // Without its own tables, a file has one with its metrics. Its caption has what the file
  // declares, at its default too, and no text of the command.
  ASSERT_EQ(
      submit(file("bare", "size: 100, kernel: fast", "matrix: {size: [100, 200]}\n")).exit_code, 0);
  const Ran bare = box.ctl({"report", "bare"});
  EXPECT_THAT(bare.out, AllOf(HasSubstr("load time (ms)"), HasSubstr("step time (ms)"),
                              HasSubstr("step rate (GFLOP/s)"), HasSubstr("step joules (J)")));
  EXPECT_THAT(bare.out, HasSubstr("kernel fast; "));
  EXPECT_THAT(bare.out,
              AllOf(Not(HasSubstr("secrets")), Not(HasSubstr("argv")), Not(HasSubstr("warmup"))));
}

TEST_F(Program, GrowsWithItsFilesAndIsReadInAnotherDatabase) {
  ASSERT_EQ(submit(file("first", "size: 100", "matrix: {size: [100, 200]}\n")).exit_code, 0);
  box.ctl({"stop"});
  // The same measurements again, although the file of another sweep declares more by then.
  ASSERT_EQ(
      submit(file("second", "size: 100, kernel: fast", "matrix: {kernel: [slow]}\n")).exit_code, 0);
  EXPECT_THAT(submit(file("again", "size: 100", "matrix: {size: [100, 200]}\n")).out,
              HasSubstr("2 reused"));
  EXPECT_EQ(box.sql("select kernel from mm where size = 200 and phase = 'step'"), "fast")
      << "measured before there was a kernel: its default";
  const Ran refused = submit(file("third", "size: big", ""));
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("error: parameters: `size` is text here, but program `mm` has "
                                     "results in which it is integer"));
  EXPECT_THAT(box.ctl({"report", "first"}).out, HasSubstr("200"));

  box.ctl({"stop"});
  const std::string other = (box.folder() / "other.db").string();
  std::filesystem::copy_file(box.state() / "results.db", other);
  const std::vector<std::string> query{"query",   "mm",          "--rows",   "size",
                                       "--where", "kernel=fast", "--metric", "rate"};
  std::vector<std::string> of_file{"--db", other};
  of_file.insert(of_file.end(), query.begin(), query.end());
  EXPECT_THAT(box.ctl(of_file).out, HasSubstr("200"));
  const Sandbox here;
  const Ran merged = here.ctl({"merge", other});
  EXPECT_EQ(merged.exit_code, 0) << merged.err;
  EXPECT_THAT(here.ctl(query).out, HasSubstr("200"));
  EXPECT_THAT(here.ctl({"report", "first"}).out, HasSubstr("200"));
}

}  // namespace
}  // namespace sweepd::e2e
