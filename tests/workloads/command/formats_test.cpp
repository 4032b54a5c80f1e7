// Reads recorded output of the programs. tests/e2e/formats_test.cpp runs those that are installed.
#include "workloads/command/formats.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace sweepd::command {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// "0 step time 1.5"; a metric of the whole run begins with "once".
std::vector<std::string> texts(const std::vector<Report>& reports) {
  std::vector<std::string> found;
  for (const Report& report : reports) {
    const auto& step = std::get<StepReport>(report);
    for (const Sample& sample : step.samples) {
      found.push_back(fmt::format("{} {} {} {:g}", step.once ? "once" : std::to_string(step.step),
                                  sample.phase, sample.metric, sample.value));
    }
  }
  return found;
}

std::vector<std::string> file(std::string_view format, std::string_view text) {
  return texts(read_report_file(format, text));
}

std::vector<std::string> lines(const std::string& format, const std::vector<std::string>& output) {
  LineFormat reader(format);
  std::vector<std::string> found;
  for (const std::string& line : output) {
    for (std::string& text : texts(reader.read(line))) found.push_back(std::move(text));
  }
  return found;
}

std::string mistake(std::string_view format, std::string_view text) {
  try {
    read_report_file(format, text);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(Formats, HyperfineOfOneCommandIsTheStep) {
  EXPECT_THAT(file("hyperfine", R"({"results": [{"command": "sleep 0.01", "mean": 0.0125,
      "stddev": 0.001, "median": 0.012, "user": 0.002, "system": 0.0, "min": 0.0115, "max": 0.0135,
      "times": [0.0115, 0.0135], "exit_codes": [0, 0]}]})"),
              ElementsAre("0 step time 11.5", "1 step time 13.5", "once step user_time 2",
                          "once step system_time 0"));
}

TEST(Formats, HyperfineOfSeveralCommandsHasAPhaseForEach) {
  EXPECT_THAT(file("hyperfine", R"({"results": [{"command": "sort -n A", "times": [1]},
                                               {"command": "LC_ALL=C sort", "times": [2]}]})"),
              ElementsAre("0 sort__n_a time 1000", "0 lc_all_c_sort time 2000"));
}

TEST(Formats, GoogleBenchmarkHasARepetitionAStepAndItsCounters) {
  EXPECT_THAT(
      file("google-benchmark", R"({"context": {"num_cpus": 2}, "benchmarks": [
        {"name": "BM_Sort/64", "family_index": 0, "per_family_instance_index": 0,
         "run_name": "BM_Sort/64", "run_type": "iteration", "repetitions": 2, "repetition_index": 0,
         "threads": 1, "iterations": 58520, "real_time": 1500, "cpu_time": 250, "time_unit": "ns",
         "Elements/s": 2.5e8},
        {"name": "BM_Sort/64", "run_name": "BM_Sort/64", "run_type": "iteration",
         "repetition_index": 1, "iterations": 58520, "real_time": 1600, "cpu_time": 260,
         "time_unit": "ns"},
        {"name": "BM_Sort/64_mean", "run_name": "BM_Sort/64", "run_type": "aggregate",
         "real_time": 1550, "cpu_time": 255, "time_unit": "ns"}]})"),
      ElementsAre("0 step time 0.0015", "0 step cpu_time 0.00025", "0 step elements_s 2.5e+08",
                  "1 step time 0.0016", "1 step cpu_time 0.00026"));
}

TEST(Formats, GoogleBenchmarksErrorIsAMistake) {
  EXPECT_THAT(mistake("google-benchmark", R"({"benchmarks": [{"name": "a", "run_type": "iteration",
                       "error_occurred": true, "error_message": "no file"}]})"),
              "reports: google-benchmark: a: no file");
}

TEST(Formats, PytestBenchmarkHasItsRoundsOrTheirMean) {
  EXPECT_THAT(file("pytest-benchmark", R"({"benchmarks": [
                {"name": "test_sum", "stats": {"mean": 0.5, "data": [0.25, 0.75]}},
                {"name": "test_max[8]", "stats": {"mean": 2}}]})"),
              ElementsAre("0 test_sum time 250", "1 test_sum time 750", "0 test_max_8_ time 2000"));
}

// Of all_reduce_perf of nccl-tests 2.13, on two GPUs.
TEST(Formats, NcclTestsHasOutOfPlaceAndInPlace) {
  const std::vector<std::string> output{
      "#                                                              out-of-place                 "
      "      "
      "in-place          ",
      "#       size         count      type   redop    root     time   algbw   busbw #wrong     "
      "time   "
      "algbw   busbw #wrong",
      "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            "
      "(us)  "
      "(GB/s)  (GB/s)       ",
      "     1048576        262144     float     sum      -1    30.52   34.36   34.36      0    "
      "29.97   "
      "34.99   34.99      0",
      "# Avg bus bandwidth    : 34.675 "};
  EXPECT_THAT(
      lines("nccl-tests", output),
      ElementsAre("0 step time 0.03052", "0 step algbw 34.36", "0 step busbw 34.36",
                  "0 in_place time 0.02997", "0 in_place algbw 34.99", "0 in_place busbw 34.99"));
  LineFormat reader("nccl-tests");
  EXPECT_THROW(reader.read("64 16 float sum -1 3.5 1 1 2 3.5 1 1 0"), std::runtime_error);
  // Without a root or a reduction, and unchecked.
  EXPECT_THAT(lines("nccl-tests", {"64 16 float 3.5 1 1 N/A 3.5 1 1 N/A"}).size(), 6U);
}

TEST(Formats, CsvIsATableInTheOutput) {
  EXPECT_THAT(lines("csv", {"starting", "step,warmup,time,time.load,gflops", "0,1,5,1,10",
                            "1,0,4,1,12", "done, at last"}),
              ElementsAre("0 step time 5", "0 load time 1", "0 step gflops 10", "1 step time 4",
                          "1 load time 1", "1 step gflops 12"));
  LineFormat reader("csv");
  reader.read("warmup,time");
  EXPECT_EQ(std::get<StepReport>(reader.read("1,5").at(0)).warmup, true);
  EXPECT_EQ(std::get<StepReport>(reader.read("0,4").at(0)).step, 1) << "counted without `step`";
  EXPECT_THAT(lines("csv", {"1,2", "3,4"}), IsEmpty()) << "no names";
}

// A log has lines with commas too. Only one of names that sweepd takes, with phases that are some,
// begins the table.
TEST(Formats, ALineWithWhatIsNoPhaseIsNoHeadOfATable) {
  for (const char* head :
       {"time.Load Data,x", "time.,x", "time.LOAD,x", "time.a/b,x", "step,warmup"}) {
    EXPECT_THAT(lines("csv", {head, "1,2"}), IsEmpty()) << head;
  }
  EXPECT_THAT(lines("csv", {"time.Load,x", "time,time.load", "5,1"}),
              ElementsAre("0 step time 5", "0 load time 1"));
}

TEST(Formats, CsvRefusesWhatIsNoStepAndNoTime) {
  const struct {
    const char *row, *says;
  } cases[] = {
      {"1.5,1", "reports: csv: `step` is 1.5; expected an integer from 0"},
      {"-1,1", "reports: csv: `step` is -1; expected an integer from 0"},
      {"nan,1", "reports: csv: `step` is nan"},
      {"inf,1", "reports: csv: `step` is inf"},
      {"1e30,1", "reports: csv: `step` is 1e30"},
      {"0,-1", "reports: csv: `time` of step is -1; expected ms, from 0"},
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

TEST(Formats, NdjsonIsReportsAmidOtherOutput) {
  EXPECT_THAT(lines("ndjson", {"loading", R"( {"step":0,"time":1.5})", ""}),
              ElementsAre("0 step time 1.5"));
  LineFormat reader("ndjson");
  EXPECT_THROW(reader.read("{oops"), std::runtime_error);
}

TEST(Formats, MistakesNameTheFormat) {
  EXPECT_THAT(mistake("hyperfine", "oops"), "reports: hyperfine: its report is not JSON");
  EXPECT_THAT(mistake("hyperfine", std::string(200'000, '[')),
              "reports: hyperfine: its report is nested more than 100 levels deep");
  EXPECT_THAT(mistake("hyperfine", "{}"), HasSubstr("a list `results` that is not empty"));
  EXPECT_THAT(mistake("hyperfine", R"({"results": [{"command": "x"}]})"),
              HasSubstr("a result without `times`"));
  EXPECT_THAT(mistake("google-benchmark", R"({"benchmarks": [{"name": "a"}]})"),
              HasSubstr("`real_time` of a benchmark is missing"));
  EXPECT_THAT(mistake("pytest-benchmark", R"({"benchmarks": [{"name": "a"}]})"),
              HasSubstr("a benchmark without `stats`"));
}

}  // namespace
}  // namespace sweepd::command
