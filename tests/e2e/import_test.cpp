// Tests `sweepctl import` and `sweepctl explain`: files of other tools become attempts.
#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Two launches 500 us apart whose kernels take 100 us each: the device waits for the host.
std::string trace_of(const std::string& info, int product_us = 100) {
  const auto event = [](const char* category, const char* name, int begin, int duration, int tid,
                        int correlation) {
    return fmt::format(
        R"({{"ph":"X","cat":"{}","name":"{}","pid":1,"tid":{},"ts":{},"dur":{},"args":{{"correlation":{},"device":0,"stream":7}}}})",
        category, name, tid, begin, duration, correlation);
  };
  return "{" + info + R"("traceEvents":[)" +
         event("cuda_runtime", "cudaLaunchKernel", 0, 10, 9, 1) + "," +
         event("kernel", "ampere_sgemm_128x64_tn", 20, product_us, 7, 1) + "," +
         event("cuda_runtime", "cudaLaunchKernel", 500, 10, 9, 2) + "," +
         event("kernel", "relu_kernel", 520, 100, 7, 2) + "]}";
}

std::string rank_info(int rank, int world_size = 2) {
  return fmt::format(R"("distributedInfo":{{"backend":"nccl","rank":{},"world_size":{}}},)", rank,
                     world_size);
}

class Import : public testing::Test {
 protected:
  Sandbox box_;
};

TEST_F(Import, ATraceHasTablesAndAnExplanation) {
  const std::string file = box_.write("before run.pt.trace.json", trace_of(""));
  const Ran imported = box_.ctl({"import", file});
  ASSERT_EQ(imported.exit_code, 0) << imported.err;
  EXPECT_THAT(imported.out,
              AllOf(HasSubstr("What bounds a step"), HasSubstr("ampere_sgemm_128x64_tn"),
                    HasSubstr("33.3%")));  // 200 of 600 us
  const Ran explained = box_.ctl({"explain", "before-run"});
  EXPECT_EQ(explained.exit_code, 0) << explained.err;
  EXPECT_THAT(explained.out, HasSubstr("One gap alone is 400.0 us (67 % of what was recorded)"));
  const auto json = nlohmann::json::parse(box_.ctl({"explain", "--json"}).out);
  EXPECT_EQ(json.at("sentences").at(0).at("rule"), "one_gap");
  EXPECT_THAT(box_.ctl({"import", file}).err, HasSubstr("1 reused"));
}

TEST_F(Import, RanksOfOneJobAreOneAttempt) {
  const std::string one = box_.write("b.json", trace_of(rank_info(1), 300));
  const std::string zero = box_.write("a.json", trace_of(rank_info(0)));
  const Ran imported = box_.ctl({"import", one, zero, "--name", "job"});
  ASSERT_EQ(imported.exit_code, 0) << imported.err;
  EXPECT_EQ(box_.sql("SELECT count(*) FROM attempt"), "1");
  EXPECT_EQ(box_.sql("SELECT text FROM fact WHERE rank = 1 AND name = "
                     "(SELECT id FROM name WHERE text = 'trace.file')"),
            "b.json");
  EXPECT_THAT(box_.ctl({"query", "--sweep", "job", "--rows", "rank", "--metric", "device_busy_time",
                        "--cell", "{mean:.3f}"})
                  .out,
              AllOf(HasSubstr("0.200"), HasSubstr("0.400")));
}

// Only the world size tells apart the ranks of two jobs.
TEST_F(Import, RanksOfSeveralJobsAreSeveralAttempts) {
  std::vector<std::string> words{"import", "--name", "jobs"};
  for (const auto& [rank, world_size] : {std::pair{3, 8}, {1, 2}, {0, 1}, {0, 128}, {5, 128}}) {
    const std::string name = fmt::format("{}-of-{}.json", rank, world_size);
    words.push_back(box_.write(name, trace_of(rank_info(rank, world_size))));
  }
  const Ran imported = box_.ctl(words);
  ASSERT_EQ(imported.exit_code, 0) << imported.err;
  EXPECT_THAT(imported.err, AllOf(HasSubstr("3-of-8.json: 1 of 8 ranks of its job"),
                                  HasSubstr("0-of-128.json: 2 of 128 ranks of its job"),
                                  Not(HasSubstr("0-of-1.json:"))));
  EXPECT_THAT(imported.out, HasSubstr("Kernels of rank 0"));
  EXPECT_EQ(box_.sql("SELECT group_concat(n, ' ') FROM (SELECT count(DISTINCT rank) AS n "
                     "FROM fact GROUP BY attempt ORDER BY n)"),
            "1 1 1 2");
  EXPECT_EQ(box_.sql("SELECT number FROM fact WHERE rank = 1 AND name = "
                     "(SELECT id FROM name WHERE text = 'trace.rank')"),
            "5.0");
}

TEST_F(Import, EachProcessOfAnNsysExportIsARank) {
  const std::string file = box_.write("two.sqlite", "");
  SQLite::Database database(file, SQLite::OPEN_READWRITE);
  database.exec(R"(
    CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
    INSERT INTO StringIds VALUES (1, 'gemm');
    CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER,
      streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER);
    INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (100, 200, 0, 7, 1, 281479271677952, 1),
      (100, 400, 1, 7, 1, 281483566645248, 1))");
  const Ran imported = box_.ctl({"import", file});
  ASSERT_EQ(imported.exit_code, 0) << imported.err;
  EXPECT_THAT(imported.out, HasSubstr("Kernels of rank 0"));
  EXPECT_EQ(box_.sql("SELECT count(DISTINCT rank) FROM kernel"), "2");
  ASSERT_EQ(std::system(("gzip " + file).c_str()), 0);
  EXPECT_THAT(box_.ctl({"import", file + ".gz"}).err,
              HasSubstr("is gzip of an SQLite file: gunzip it first"));
}

// A trace is of the steps that it marks; work outside of them does not count.
TEST_F(Import, MarkedStepsAreTheSteps) {
  const auto event = [](const char* category, const char* name, int begin, int duration) {
    return fmt::format(
        R"({{"ph":"X","cat":"{}","name":"{}","pid":1,"tid":7,"ts":{},"dur":{},"args":{{"device":0,"stream":7}}}},)",
        category, name, begin, duration);
  };
  std::string events = event("kernel", "before", 100, 1000) + event("kernel", "gemm", 2100, 300) +
                       event("kernel", "gemm", 3100, 500) +
                       event("user_annotation", "ProfilerStep#7", 2000, 1000) +
                       event("user_annotation", "ProfilerStep#8", 3000, 1000) +
                       R"(null,{"ph":"X","cat":"kernel","name":"broken","ts":1,"dur":-1}]})";
  const std::string file = box_.write("a b.json", R"({"traceEvents":[)" + events);
  const Ran imported = box_.ctl({"import", file, "--name", "marked"});
  ASSERT_EQ(imported.exit_code, 0) << imported.err;
  EXPECT_THAT(imported.out, AllOf(HasSubstr("files 'a b.json'"), HasSubstr("40.0%"),
                                  HasSubstr(" 1.000‡ |"), Not(HasSubstr("before"))));
  const auto fact = [&](const char* name) {
    return box_.sql(fmt::format("SELECT number FROM facts WHERE name = '{}'", name));
  };
  EXPECT_EQ(fact("trace.steps"), "2.0");
  EXPECT_EQ(fact("trace.outside_steps_ms"), "1.0");
  EXPECT_EQ(fact("profile.dropped_records"), "2.0");
  EXPECT_EQ(box_.sql("SELECT verdict FROM attempts"), "suspect");
  const std::string shown = box_.ctl({"show", box_.sql("SELECT attempt_uid FROM attempts")}).out;
  EXPECT_THAT(shown, AllOf(HasSubstr("Environment of the import"), Not(HasSubstr("warmup")),
                           HasSubstr("0.400 ms (40.0 %)")));
}

TEST_F(Import, TracesOfTwoRunsAreTwoAttempts) {
  const std::string before = box_.write("before.json", trace_of(""));
  const std::string after = box_.write("after.json", trace_of("", 50));
  const Ran imported = box_.ctl({"import", before, after, "--name", "fused"});
  ASSERT_EQ(imported.exit_code, 0) << imported.err;
  EXPECT_EQ(box_.sql("SELECT count(*) FROM attempt"), "2");
  EXPECT_THAT(imported.out, AllOf(HasSubstr("before.json"), HasSubstr("after.json")));

  const auto compared = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"compare", "fused", "--kernels"};
    words.insert(words.end(), more.begin(), more.end());
    return box_.ctl(words);
  };
  const std::vector<std::string> files{"--by", "files=before.json,after.json", "--format", "csv"};
  EXPECT_THAT(compared(files).out,
              AllOf(HasSubstr("kernel,class,files=before.json (ms),files=after.json (ms),"
                              "difference (ms),launches,share (%),change"),
                    HasSubstr("ampere_sgemm_128x64_tn,matmul,0.1,0.05,-0.05,1,"),
                    HasSubstr("relu_kernel,elementwise,0.1,0.1,0,1,0,same,"),
                    HasSubstr("total,,0.2,0.15")));
  EXPECT_THAT(compared({}).err, HasSubstr("nothing to compare with"));
  EXPECT_THAT(compared({"fused"}).err, HasSubstr("several points, which differ in files"));
  EXPECT_THAT(compared({"fused", "--fail-if", "slower"}).err, HasSubstr("kernels are not judged"));
}

// Kernels of a trace are sums over its steps.
TEST_F(Import, KernelsAreComparedByStep) {
  const auto steps = [](int count) {
    std::string text = R"("traceEvents":[)";
    for (int i = 0; i < count; ++i) {
      const int begin = i * 1000;
      text += fmt::format(
          R"({{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{}","pid":1,"tid":9,"ts":{},"dur":900}},)"
          R"({{"ph":"X","cat":"kernel","name":"sgemm","pid":1,"tid":7,"ts":{},"dur":100,"args":{{"device":0,"stream":7}}}}{})",
          i, begin, begin + 50, i + 1 < count ? "," : "]}");
    }
    return "{" + text;
  };
  for (const auto& [name, count] : {std::pair{"long", 5}, {"short", 2}}) {
    const std::string file = box_.write(std::string(name) + ".json", steps(count));
    ASSERT_EQ(box_.ctl({"import", file}).exit_code, 0);
  }
  const Ran ran = box_.ctl({"compare", "long", "short", "--kernels", "--format", "md"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("| sgemm     | matmul |"), HasSubstr("same"),
                             HasSubstr("differ in steps: 5 against 2")));
}

TEST_F(Import, MistakesAreNamed) {
  const std::string text = box_.write("notes.txt", "no trace at all");
  EXPECT_THAT(
      box_.ctl({"import", text}).err,
      AllOf(HasSubstr("notes.txt: is no trace that sweepd reads"), HasSubstr("nsys export")));
  EXPECT_THAT(box_.ctl({"import", box_.write("empty.json", "")}).err,
              HasSubstr("empty.json: is empty"));
  EXPECT_THAT(box_.ctl({"import", "/nonexistent.json"}).err, HasSubstr("/nonexistent.json"));
  const std::string cut = box_.write("cut.json", trace_of("").substr(0, 300));
  const Ran imported = box_.ctl({"import", cut});
  EXPECT_EQ(imported.exit_code, 4);
  EXPECT_EQ(imported.out, "") << "no table of a file that could not be read";
  EXPECT_THAT(box_.ctl({"show", "cut"}).out, HasSubstr("cut.json"));
  const std::string a = box_.write("a.json", trace_of(rank_info(1))),
                    b = box_.write("b.json", trace_of(rank_info(1)));
  const std::string zero = box_.write("zero.json", trace_of(rank_info(0)));
  EXPECT_THAT(box_.ctl({"import", a, b, zero}).err, HasSubstr("are both of rank 1"));
  EXPECT_THAT(box_.ctl({"import", b, "--step", "5", "--ranks"}).err, HasSubstr("failed"));
  EXPECT_THAT(box_.ctl({"explain", "cut"}).err,
              HasSubstr("no profile pass of sweep `cut` is done"));
}

}  // namespace
}  // namespace sweepd::e2e
