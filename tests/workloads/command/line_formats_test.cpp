// Reads tables and lines amid the output of programs.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/workloads/command/read_lines.h"

namespace sweepd::command {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(LineFormats, ALineOfNamesInALogIsNoHead) {
  EXPECT_THAT(texts_of_lines("csv", {"mlx5_0,mlx5_1", "step,time", "0,5", "done,ok", "1,6"}),
              ElementsAre("0 step time 5", "1 step time 6"));
}

TEST(LineFormats, ALaterHeadBeginsAnew) {
  EXPECT_THAT(
      texts_of_lines("csv", {"step,time", "0,5", "step,time", "1,6", "step,loss", "0,2", "9,1"}),
      ElementsAre("0 step time 5", "1 step time 6", "0 step loss 2", "9 step loss 1"));
  EXPECT_THAT(texts_of_lines("csv", {"time,gflops", "5,1", "time,loss", "6,2"}),
              ElementsAre("0 step time 5", "0 step gflops 1", "1 step time 6", "1 step loss 2"));
}

TEST(LineFormats, ARowKeepsWhatItHas) {
  EXPECT_THAT(texts_of_lines("csv", {"step,naive,flash", "0,4,2", "1,OOM,OOM", "2,,3", "3,OOM,4"}),
              ElementsAre("0 step naive 4", "0 step flash 2", "2 step flash 3", "3 step flash 4",
                          "fact csv.omitted: 3 cells are no number: the first is `OOM`, line 3, "
                          "column 2"));
  EXPECT_THAT(texts_of_lines("csv", {"naive,flash", "OOM,2", "of 5, 7"}),
              ElementsAre("0 step flash 2", "fact csv.omitted: column `naive` has no numbers"));
}

TEST(LineFormats, CsvIsATableInTheOutput) {
  EXPECT_THAT(texts_of_lines("csv", {"starting", "step,warmup,time,time.load,gflops", "0,1,5,1,10",
                                     "1,0,4,1,12", "done, at last"}),
              ElementsAre("0 step time 5", "0 load time 1", "0 step gflops 10", "1 step time 4",
                          "1 load time 1", "1 step gflops 12"));
  LineFormat reader("csv");
  reader.read("warmup,time");
  EXPECT_EQ(std::get<StepReport>(reader.read("1,5").at(0)).warmup, true);
  EXPECT_EQ(std::get<StepReport>(reader.read("0,4").at(0)).step, 1) << "counted without `step`";
  EXPECT_THAT(texts_of_lines("csv", {"1,2", "3,4"}), IsEmpty()) << "no names";
}

// A log has lines with commas too. Only one of names that sweepd takes, with phases that are some,
// begins the table.
TEST(LineFormats, ALineWithWhatIsNoPhaseIsNoHeadOfATable) {
  for (const char* head :
       {"time.Load Data,x", "time.,x", "loss:2,x", "a=b,x", "wall time,x", "step,warmup"}) {
    EXPECT_THAT(texts_of_lines("csv", {head, "1,2"}), IsEmpty()) << head;
  }
  EXPECT_THAT(texts_of_lines("csv", {"time.Load,x", "time,time.load", "5,1"}),
              ElementsAre("0 step time 5", "0 load time 1"));
}

TEST(LineFormats, CsvRefusesWhatIsNoStepAndNoTime) {
  const struct {
    const char *row, *says;
  } cases[] = {
      {"1.5,1", "reports: csv: line 2, column 1: `step` is 1.5; expected an integer from 0"},
      {"-1,1", "reports: csv: line 2, column 1: `step` is -1; expected an integer from 0"},
      {"nan,1", "reports: csv: line 2, column 1: `step` is nan"},
      {"inf,1", "reports: csv: line 2, column 1: `step` is inf"},
      {"1e30,1", "reports: csv: line 2, column 1: `step` is 1e30"},
      {"0,-1", "reports: csv: line 2, column 2: `time` of step is -1; expected ms, from 0"},
  };
  for (const auto& c : cases) {
    LineFormat reader("csv");
    reader.read("step,time");
    try {
      reader.read(c.row);
      ADD_FAILURE() << c.row;
    } catch (const std::runtime_error& error) {
      EXPECT_THAT(error.what(), HasSubstr(c.says)) << c.row;
    }
  }
}

TEST(LineFormats, NdjsonIsReportsAmidOtherOutput) {
  EXPECT_THAT(texts_of_lines("ndjson", {"loading", R"( {"step":0,"time":1.5})", ""}),
              ElementsAre("0 step time 1.5"));
  EXPECT_THAT(texts_of_lines("ndjson", {R"({"step":0,"loss":NaN,"rate":Infinity})"}),
              ElementsAre("0 step loss nan", "0 step rate inf"));
  EXPECT_THAT(refusal_of_lines("ndjson", {"loading", "{\"step\":0,oops}"}),
              AllOf(HasSubstr("reports: ndjson: line 2: it is not a JSON object: column 11: "),
                    HasSubstr(": `{\"step\":0,oops}`")));
}

TEST(LineFormats, FiguresThatAreNotFiniteAreNumbers) {
  EXPECT_THAT(texts_of_lines("csv", {"step,loss", "0,nan", "1,-inf", "2,+1"}),
              ElementsAre("0 step loss nan", "1 step loss -inf", "2 step loss 1"));
}

}  // namespace
}  // namespace sweepd::command
