// The formats of `reports`, with the real programs. A program that is not installed skips its test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

class Formats : public testing::Test {
 protected:
  bool has(const std::string& command) const {
    return box.run("/bin/sh", {"-c", command + " >/dev/null 2>&1"}).exit_code == 0;
  }
  // Runs it once, and returns how many samples each metric of the phase has: "time 3".
  std::string counted(const std::string& reports, const std::string& argv, const std::string& phase,
                      const std::string& metric) const {
    const Ran ran =
        box.ctl({"submit", "-", "--wait"}, "sweep: s\nprogram: p\nparams:\n  argv: " + argv +
                                               "\n  reports: " + reports + "\n  device: cpu\n");
    EXPECT_EQ(ran.exit_code, 0) << ran.err << box.ctl({"show", "s"}).out;
    return box.sql("select count(*) || ' ' || (min(value) > 0) from samples where phase = '" +
                   phase + "' and metric = '" + metric + "' and warmup = 0");
  }
  Sandbox box;
};

// Recorded output: from one run to a table with a row a message size.
TEST_F(Formats, NcclTestsHaveATableOfBandwidthByMessageSize) {
  const std::string output = box.write("nccl.txt", R"(
# nThread 1 nGpus 8 minBytes 524288 maxBytes 8388608 step: 4(factor) warmup iters: 1 iters: 20
# Using devices
[1,0]<stdout>:#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
[1,0]<stdout>:#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
[1,0]<stdout>:      524288        131072     float     sum      -1    34.08   15.38   26.92      0    33.46   15.67   27.42      0
[1,0]<stdout>:     2097152        524288     float     sum      -1    50.61   41.44   72.52      0    49.48   42.38   74.17      0
[1,0]<stdout>:     8388608       2097152     float     sum      -1    91.10   92.08  161.14      0    94.94   88.36  154.63      0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 86.1333
)");
  const Ran ran =
      box.ctl({"submit", "-", "--wait"}, "sweep: s\nprogram: p\nparams: {argv: 'cat " + output +
                                             "', reports: nccl-tests, device: cpu}\n"
                                             "tables:\n"
                                             "  - rows: [{phase: Bytes}]\n"
                                             "    values:\n"
                                             "      - {name: Out of place, metric: busbw}\n"
                                             "      - {name: In place, metric: in_place_busbw}\n");
  ASSERT_EQ(ran.exit_code, 0) << ran.err << box.ctl({"show", "s"}).out;
  EXPECT_THAT(box.ctl({"report", "s", "--format", "csv"}).out,
              testing::AllOf(testing::HasSubstr("Bytes,Out of place (GB/s),In place (GB/s),"),
                             testing::ContainsRegex("\n524288,26.92,27.42,.*\n2097152,72.52,74.17,"
                                                    ".*\n8388608,161.14,154.63,")));
}

class NightlyFormats : public Formats {};

TEST_F(Formats, Hyperfine) {
  if (!has("hyperfine --version")) GTEST_SKIP() << "hyperfine is not installed";
  EXPECT_EQ(counted("hyperfine", "hyperfine --export-json {report} -w 1 -r 3 'sleep 0.01'", "step",
                    "time"),
            "3 1");
}

TEST_F(NightlyFormats, GoogleBenchmark) {
  const std::string source = box.write("b.cpp", R"(
#include <benchmark/benchmark.h>
static void BM_Sum(benchmark::State& state) {
  for (auto _ : state) {
    int sum = 0;
    for (int i = 0; i < state.range(0); ++i) benchmark::DoNotOptimize(sum += i);
  }
  state.counters["items"] = static_cast<double>(state.range(0));
}
BENCHMARK(BM_Sum)->Arg(64)->Arg(128);
BENCHMARK_MAIN();
)");
  const std::string program = (box.folder() / "b").string();
  if (!has("c++ " + source + " -lbenchmark -lpthread -o " + program)) {
    GTEST_SKIP() << "libbenchmark-dev is not installed";
  }
  // Without an output file it prints the report.
  const std::string options =
      " --benchmark_format=json --benchmark_repetitions=2 --benchmark_min_time=0.01";
  EXPECT_EQ(counted("google-benchmark", program + options, "bm_sum.64", "time"), "2 1");
  EXPECT_EQ(box.sql("select count(*) from samples where phase = 'bm_sum.128' and metric = 'items' "
                    "and value = 128"),
            "2");
}

TEST_F(NightlyFormats, PytestBenchmark) {
  std::string python;
  for (const char* each : {"python3", "/usr/bin/python3"}) {
    if (has(std::string(each) + " -c 'import pytest_benchmark'")) python = each;
  }
  if (python.empty()) GTEST_SKIP() << "pytest-benchmark is not installed";
  const std::string test = box.write(
      "test_sum.py", "def test_sum(benchmark):\n    benchmark(lambda: sum(range(100)))\n");
  const std::string rounds =
      counted("pytest-benchmark",
              python +
                  " -m pytest -q -p no:cacheprovider --benchmark-max-time=0.01 "
                  "--benchmark-json={report} " +
                  test,
              "step", "time");
  EXPECT_TRUE(rounds.ends_with(" 1") && rounds[0] != '0') << rounds;
}

}  // namespace
}  // namespace sweepd::e2e
