// Reads recorded output of the programs. tests/e2e/formats_test.cpp runs those that are installed.
#include "workloads/command/formats.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/workloads/command/report_texts.h"

namespace sweepd::command {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> file(std::string_view format, std::string_view text) {
  return report_texts(read_report_file(format, text));
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

TEST(Formats, HyperfinesParametersTellEqualCommandsApart) {
  EXPECT_THAT(file("hyperfine", R"({"results":[
                {"command":"sort","times":[1],"parameters":{"size":"1","n":"a b"}},
                {"command":"sort","times":[2],"parameters":{"size":"2","n":"a b"}},
                {"command":"true","times":[3],"parameters":{"size":"2"}}]})"),
              ElementsAre("0 sort_size_1_n_a_b time 1000", "0 sort_size_2_n_a_b time 2000",
                          "0 true time 3000"));
  // Commands that begin with the same 64 letters.
  const std::string path = "/a/" + std::string(70, 'x');
  const auto alike =
      file("hyperfine", R"({"results":[{"command":")" + path + R"( 1","times":[1]},{"command":")" +
                            path + R"( 2","times":[2]}]})");
  ASSERT_EQ(alike.size(), 4U);
  EXPECT_NE(alike[2].substr(0, 66), alike[3].substr(0, 66));
  EXPECT_THAT(alike[2], testing::EndsWith(" time 1000"));
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
              ElementsAre("0 a.py__test_sum time 1000", "0 b.py__test_sum time 2000",
                          "fact only_means: a.py::test_sum, b.py::test_sum"));
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

TEST(Formats, GoogleBenchmarksErrorIsAMistakeWhereThereIsNothingElse) {
  EXPECT_THAT(mistake("google-benchmark", R"({"benchmarks": [{"name": "a", "run_type": "iteration",
                       "error_occurred": true, "error_message": "no file"}]})"),
              "reports: google-benchmark: a: no file");
  EXPECT_THAT(
      file("google-benchmark", R"({"benchmarks": [
                {"name": "a", "error_occurred": "true", "error_message": "no file"},
                {"name": "a", "error_occurred": true, "error_message": "no file"},
                {"name": "b", "error_occurred": false, "real_time": 5, "cpu_time": 4,
                 "time_unit": "ms"}]})"),
      ElementsAre("0 b time 5", "0 b cpu_time 4", "fact warning.google-benchmark: a: no file"));
}

// `--benchmark_report_aggregates_only`, with the complexity that it adds.
TEST(Formats, GoogleBenchmarksAggregatesAreOneStep) {
  const std::string aggregates = R"(
    {"name": "BM_Sort/64_mean", "run_name": "BM_Sort/64", "run_type": "aggregate",
     "repetitions": 3, "aggregate_name": "mean", "aggregate_unit": "time", "iterations": 3,
     "real_time": 1550, "cpu_time": 255, "time_unit": "ns", "items": 64},
    {"name": "BM_Sort/64_median", "run_name": "BM_Sort/64", "run_type": "aggregate",
     "aggregate_name": "median", "real_time": 1500, "cpu_time": 250, "time_unit": "ns"},
    {"name": "BM_Sort/64_stddev", "run_name": "BM_Sort/64", "run_type": "aggregate",
     "aggregate_name": "stddev", "real_time": 50, "cpu_time": 5, "time_unit": "ns", "items": 0},
    {"name": "BM_Sort/64_cv", "run_name": "BM_Sort/64", "run_type": "aggregate",
     "aggregate_name": "cv", "aggregate_unit": "percentage", "real_time": 0.03, "cpu_time": 0.02,
     "time_unit": "ns"},
    {"name": "BM_Sort_BigO", "run_name": "BM_Sort", "run_type": "aggregate",
     "aggregate_name": "BigO", "cpu_coefficient": 2, "real_coefficient": 3, "big_o": "N",
     "time_unit": "ns"},
    {"name": "BM_Sort_RMS", "run_name": "BM_Sort", "run_type": "aggregate",
     "aggregate_name": "RMS", "aggregate_unit": "percentage", "rms": 0.05})";
  EXPECT_THAT(file("google-benchmark", R"({"benchmarks": [)" + aggregates + "]}"),
              ElementsAre("0 step time 0.00155", "0 step cpu_time 0.000255", "0 step items 64",
                          "once step std_time 5e-05", "once step std_cpu_time 5e-06",
                          "fact only_means: BM_Sort/64"));
  // Beside repetitions they say nothing new.
  EXPECT_THAT(file("google-benchmark",
                   R"({"benchmarks": [{"name": "BM_Sort/64", "run_type": "iteration",
                       "real_time": 1, "cpu_time": 1, "time_unit": "ms"},)" +
                       aggregates + "]}"),
              ElementsAre("0 step time 1", "0 step cpu_time 1"));
  EXPECT_EQ(mistake("google-benchmark", R"({"benchmarks": [{"name": "a_max", "run_name": "a",
                      "run_type": "aggregate", "aggregate_name": "max"}]})"),
            "reports: google-benchmark: no benchmark has a repetition or a mean");
}

TEST(Formats, PytestBenchmarkHasItsRoundsOrTheirMean) {
  EXPECT_THAT(file("pytest-benchmark", R"({"benchmarks": [
                {"name": "test_sum", "stats": {"mean": 0.5, "data": [0.25, 0.75]}},
                {"name": "test_max[8]", "stats": {"mean": 2}}]})"),
              ElementsAre("0 test_sum time 250", "1 test_sum time 750", "0 test_max_8_ time 2000",
                          "fact only_means: test_max[8]"));
}

TEST(Formats, PytestBenchmarksNamesThatRepeatAreTold) {
  EXPECT_THAT(file("pytest-benchmark", R"({"benchmarks": [
                {"name": "test_x[1-a]", "fullname": "t.py::test_x[1-a]", "params": {"n": 1},
                 "stats": {"data": [0.001]}},
                {"name": "test_x[2-a]", "fullname": "t.py::test_x[2-a]", "params": {"n": 2},
                 "stats": {"data": [0.002]}},
                {"name": "test_y", "fullname": "t.py::test_y", "params": {"n": 1, "k": "a"},
                 "group": null, "stats": {"data": [0.003]}},
                {"name": "test_y", "fullname": "t.py::test_y", "params": {"n": 2, "k": "a"},
                 "group": "g", "stats": {"data": [0.004]}}]})"),
              ElementsAre("0 test_x_1_a_ time 1", "0 test_x_2_a_ time 2",
                          "0 t.py__test_y_n_1_k_a time 3", "0 t.py__test_y_n_2_k_a_g time 4"));
  EXPECT_EQ(mistake("pytest-benchmark", R"({"benchmarks": [
                      {"name": "test_y", "fullname": "t.py::test_y", "stats": {"mean": 1}},
                      {"name": "test_y", "fullname": "t.py::test_y", "stats": {"mean": 1}}]})"),
            "reports: pytest-benchmark: two results are of `t.py::test_y`: rename one");
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
