// Reads recorded output of the programs. tests/e2e/formats_test.cpp runs those that are installed.
#include "workloads/command/formats.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace sweepd::command {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// "0 step time 1.5"; a metric of the whole run begins with "once"; "fact skipped: BM_a".
std::vector<std::string> texts(const std::vector<Report>& reports) {
  std::vector<std::string> found;
  for (const Report& report : reports) {
    if (const auto* fact = std::get_if<FactReport>(&report)) {
      found.push_back(fmt::format("fact {}: {}", fact->name, fact->text));
      continue;
    }
    if (const auto* skip = std::get_if<SkipReport>(&report)) {
      found.push_back("skipped: " + skip->reason);
      continue;
    }
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
  for (std::string& text : texts(reader.finish())) found.push_back(std::move(text));
  return found;
}

// What the last line's mistake is.
std::string mistake_in_lines(const std::string& format, const std::vector<std::string>& output) {
  LineFormat reader(format);
  try {
    for (const std::string& line : output) reader.read(line);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
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

TEST(Formats, HyperfinesFailedRunsAreLeftOutAndCounted) {
  EXPECT_THAT(
      file("hyperfine", R"({"results":[{"command":"x","times":[1.0,0.001],"exit_codes":[0,1]}]})"),
      ElementsAre("0 step time 1000",
                  "fact warning.hyperfine: 1 of 2 runs ended with exit code 1"));
  EXPECT_THAT(file("hyperfine", R"({"results":[
                {"command":"a","times":[1,2,3],"user":9,"exit_codes":[null,0,2]},
                {"command":"b","times":[4],"user":1,"exit_codes":[0]}]})"),
              ElementsAre("1 a time 2000", "0 b time 4000", "once b user_time 1000",
                          "fact warning.hyperfine: a: 1 of 3 runs ended by a signal, 1 of 3 runs "
                          "ended with exit code 2"));
  EXPECT_EQ(mistake("hyperfine", R"({"results":[{"command":"x","times":[1],"exit_codes":[1]}]})"),
            "reports: hyperfine: `x`: 1 of 1 runs ended with exit code 1");
}

TEST(Formats, BenchmarksWhosePhasesWouldBeOneKeepTheirOwn) {
  const auto run = [](const std::string& name, int ns) {
    return fmt::format(R"({{"name":"{}","run_type":"iteration","real_time":{},"cpu_time":{},)"
                       R"("time_unit":"ns"}})",
                       name, ns, ns);
  };
  const auto phases_of = [&](const std::string& a, const std::string& b) {
    std::vector<std::string> found;
    for (const std::string& text :
         file("google-benchmark", "{\"benchmarks\":[" + run(a, 100) + "," + run(b, 200) + "]}")) {
      if (text.find(" time ") != std::string::npos) found.push_back(text);
    }
    return found;
  };
  EXPECT_THAT(phases_of("BM_a<int>", "BM_a(int)"),
              ElementsAre(testing::MatchesRegex("0 bm_a_int__[0-9a-f]{4} time 0.0001"),
                          testing::MatchesRegex("0 bm_a_int__[0-9a-f]{4} time 0.0002")));
  const auto two = phases_of("BM_a<int>", "BM_a(int)");
  EXPECT_NE(two[0].substr(0, 16), two[1].substr(0, 16));
  EXPECT_EQ(phases_of("BM_a(int)", "BM_a<int>")[1].substr(0, 16), two[0].substr(0, 16))
      << "whatever their order";
  const std::string letters(64, 'a');
  const auto alike = phases_of(letters + "1", letters + "2");
  ASSERT_EQ(alike.size(), 2U);
  EXPECT_NE(alike[0].substr(0, 66), alike[1].substr(0, 66));
  EXPECT_THAT(file("google-benchmark",
                   "{\"benchmarks\":[" + run("BM_a<int>", 1) + "," + run("BM_a(int)", 1) + "]}"),
              testing::Contains(testing::MatchesRegex("fact phase.bm_a_int__....: BM_a<int>")));
}

TEST(Formats, EqualNamesOfTwoResultsAreAMistake) {
  EXPECT_EQ(mistake("hyperfine", R"({"results":[{"command":"x","times":[1]},
                                                {"command":"x","times":[2]}]})"),
            "reports: hyperfine: two results are of `x`: name each with --command-name");
  EXPECT_THAT(file("pytest-benchmark", R"({"benchmarks":[
                {"name":"test_sum","fullname":"a.py::test_sum","stats":{"mean":1}},
                {"name":"test_sum","fullname":"b.py::test_sum","stats":{"mean":2}}]})"),
              ElementsAre("0 a.py__test_sum time 1000", "0 b.py__test_sum time 2000"));
  EXPECT_EQ(mistake("google-benchmark", R"({"benchmarks":[{"name":"a","real_time":1,"cpu_time":1,
                                            "Elements/s":1,"elements_s":2}]})"),
            "reports: google-benchmark: counters `Elements/s` and `elements_s` of `a` would both "
            "be metric `elements_s`: rename one");
}

TEST(Formats, ABenchmarkThatSkippedItselfIsLeftOutAndNamed) {
  EXPECT_THAT(file("google-benchmark", R"({"benchmarks":[
                {"name":"BM_a","run_type":"iteration","real_time":1,"cpu_time":1,"time_unit":"ms"},
                {"name":"BM_b","run_type":"iteration","skipped":true,"skip_message":"no AVX-512",
                 "real_time":0,"cpu_time":0,"time_unit":"ns"}]})"),
              ElementsAre("0 bm_a time 1", "0 bm_a cpu_time 1", "fact skipped: BM_b: no AVX-512"));
  EXPECT_THAT(file("google-benchmark", R"({"benchmarks":[{"name":"BM_b","skipped":true}]})"),
              ElementsAre("skipped: BM_b"));
}

TEST(Formats, OutputAroundAFileIsSkipped) {
  const std::string json = R"({"results":[{"command":"x","times":[0.5]}]})";
  for (const std::string& text :
       {"Run on (8 X 2400 MHz CPU s) {L1 32 KiB}\n***WARNING*** scaling\n" + json,
        "warning: " + json, json + "\ndone {really}\n"}) {
    EXPECT_THAT(file("hyperfine", text), ElementsAre("0 step time 500")) << text;
  }
}

TEST(Formats, FiguresThatAreNotFiniteAreNumbers) {
  EXPECT_THAT(
      file("google-benchmark", R"({"benchmarks":[{"name":"a","real_time":1,"cpu_time":NaN,
                                           "time_unit":"ms","up":Infinity,"down":-Infinity}]})"),
      ElementsAre("0 step time 1", "0 step cpu_time nan", "0 step up inf", "0 step down -inf"));
  EXPECT_THAT(file("hyperfine", R"({"results":[{"command":"say NaN","times":[NaN,"inf"]}]})"),
              ElementsAre("0 step time nan", "1 step time inf"));
  EXPECT_THAT(lines("csv", {"step,loss", "0,nan", "1,-inf", "2,+1"}),
              ElementsAre("0 step loss nan", "1 step loss -inf", "2 step loss 1"));
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
  EXPECT_EQ(mistake_in_lines("nccl-tests", {"#", "64 16 float sum -1 3.5 1 1 2 3.5 1 1 0"}),
            "reports: nccl-tests: line 2, column 9: 2 wrong values of 64 bytes, out of place");
  // Without a root or a reduction, and unchecked.
  EXPECT_THAT(lines("nccl-tests", {"64 16 float 3.5 1 1 N/A 3.5 1 1 N/A"}).size(), 6U);
}

// As nccl-tests 2.17 print them with a report of each iteration, and the older ones of AMD.
TEST(Formats, NcclTestsAreReadByTheirHead) {
  EXPECT_THAT(
      lines("nccl-tests",
            {"# size count type redop root time algbw busbw #wrong i_min i_max i_p99 i_cv% time "
             "algbw busbw #wrong i_min i_max i_p99 i_cv%",
             "1048576 262144 float sum -1 31.20 33.61 33.61 0 31.20 31.20 31.20 0.00 41.82 25.07 "
             "25.07 0 41.82 41.82 41.82 0.00"}),
      ElementsAre("0 step time 0.0312", "0 step algbw 33.61", "0 step busbw 33.61",
                  "0 in_place time 0.04182", "0 in_place algbw 25.07", "0 in_place busbw 25.07"));
  EXPECT_THAT(
      lines("nccl-tests", {"# size count type redop time algbw busbw error time algbw busbw error",
                           "4096 1024 float sum 93.73 0.04 0.09 1e-06 93.15 0.04 0.09 1e-06"}),
      ElementsAre("0 step time 0.09373", "0 step algbw 0.04", "0 step busbw 0.09",
                  "0 in_place time 0.09315", "0 in_place algbw 0.04", "0 in_place busbw 0.09"));
  EXPECT_THAT(
      lines("nccl-tests",
            {"# size count type redop root cputime algbw busbw #wrong cputime algbw busbw "
             "#wrong timestamp",
             "64 16 float sum -1 3.5 1 2 0 4.5 3 4 0 2026-11-28 20:10:55"}),
      ElementsAre("0 step cpu_time 0.0035", "0 step algbw 1", "0 step busbw 2",
                  "0 in_place cpu_time 0.0045", "0 in_place algbw 3", "0 in_place busbw 4"));
  EXPECT_THAT(lines("nccl-tests", {"64 16 float sum -1 4.5 3 4 0"}),
              ElementsAre("0 in_place time 0.0045", "0 in_place algbw 3", "0 in_place busbw 4"))
      << "the columns out of place are blank";
  EXPECT_THAT(
      mistake_in_lines("nccl-tests", {"64 16 float sum -1 3.5 1 1 0 9 9 3.5 1 1 0 9 9"}),
      HasSubstr("line 1: a row of 17 columns does not fit the head, which has twice `time algbw"));
}

TEST(Formats, ALineOfNamesInALogIsNoHead) {
  EXPECT_THAT(lines("csv", {"mlx5_0,mlx5_1", "step,time", "0,5", "done,ok", "1,6"}),
              ElementsAre("0 step time 5", "1 step time 6"));
}

TEST(Formats, ALaterHeadBeginsAnew) {
  EXPECT_THAT(lines("csv", {"step,time", "0,5", "step,time", "1,6", "step,loss", "0,2", "9,1"}),
              ElementsAre("0 step time 5", "1 step time 6", "0 step loss 2", "9 step loss 1"));
  EXPECT_THAT(lines("csv", {"time,gflops", "5,1", "time,loss", "6,2"}),
              ElementsAre("0 step time 5", "0 step gflops 1", "0 step time 6", "0 step loss 2"));
}

TEST(Formats, ARowKeepsWhatItHas) {
  EXPECT_THAT(lines("csv", {"step,naive,flash", "0,4,2", "1,OOM,OOM", "2,,3", "3,OOM,4"}),
              ElementsAre("0 step naive 4", "0 step flash 2", "2 step flash 3", "3 step flash 4",
                          "fact csv.omitted: 3 cells in 2 rows are no number: the first is `OOM`, "
                          "line 3, column 2"));
  EXPECT_THAT(lines("csv", {"naive,flash", "OOM,2", "of 5, 7"}),
              ElementsAre("0 step flash 2",
                          "fact csv.omitted: 1 cell in 1 row is no number: the first is `OOM`, "
                          "line 2, column 1"));
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

TEST(Formats, NdjsonIsReportsAmidOtherOutput) {
  EXPECT_THAT(lines("ndjson", {"loading", R"( {"step":0,"time":1.5})", ""}),
              ElementsAre("0 step time 1.5"));
  EXPECT_THAT(lines("ndjson", {R"({"step":0,"loss":NaN,"rate":Infinity})"}),
              ElementsAre("0 step loss nan", "0 step rate inf"));
  EXPECT_THAT(mistake_in_lines("ndjson", {"loading", "{\"step\":0,oops}"}),
              AllOf(HasSubstr("reports: ndjson: line 2: it is not a JSON object: column 11: "),
                    HasSubstr(": `{\"step\":0,oops}`")));
}

TEST(Formats, MistakesNameTheFormat) {
  EXPECT_EQ(mistake("hyperfine", "oops"),
            "reports: hyperfine: its report is not JSON: there is no `{` in it");
  EXPECT_THAT(mistake("hyperfine", "log\n{\n  \"a\": NaN, oops\n}"),
              HasSubstr("its report is not JSON: line 3, column 13: "));
  EXPECT_THAT(mistake("hyperfine", "{\"a\": ["), HasSubstr("line 1, column 8: unexpected end"));
  EXPECT_THAT(mistake("hyperfine", std::string(200'000, '[')),
              "reports: hyperfine: its report is nested more than 100 levels deep");
  EXPECT_THAT(mistake("hyperfine", "{}"), HasSubstr("a list `results` that is not empty"));
  EXPECT_THAT(mistake("hyperfine", R"({"results": [{"command": "x"}]})"),
              HasSubstr("`x` has no list `times`"));
  EXPECT_THAT(mistake("hyperfine", R"({"results": [{"command": "x", "times": [1, "fast"]}]})"),
              HasSubstr("`times` of `x`: number 1 is \"fast\"; expected seconds"));
  EXPECT_THAT(mistake("google-benchmark", R"({"benchmarks": [{"name": "a"}]})"),
              HasSubstr("`real_time` of `a` is missing"));
  EXPECT_THAT(mistake("pytest-benchmark", R"({"benchmarks": [{"name": "a"}]})"),
              HasSubstr("`a` has no `stats`"));
}

}  // namespace
}  // namespace sweepd::command
