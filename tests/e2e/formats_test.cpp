// The formats of `reports`, with the real programs. A program that is not installed skips its test.
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
