// Tests the lines that a program writes to SWEEPD_METRICS_FD.
#include "workloads/command/program_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace sweepd::command {
namespace {

using ::testing::HasSubstr;

template <class T>
T read(std::string_view line) {
  const auto report = parse_report(line);
  EXPECT_TRUE(report.ok()) << line << ": " << (report ? "" : report.error().message);
  return std::get<T>(*report);
}

// Returns "forward time 1.25" for each sample.
std::vector<std::string> texts(const StepReport& report) {
  std::vector<std::string> out;
  for (const Sample& sample : report.samples)
    out.push_back(sample.phase + " " + sample.metric + " " + to_text(sample.value));
  return out;
}

TEST(Report, AStepHasMetricsByPhase) {
  const auto report = read<StepReport>(
      R"({"step":3,"warmup":true,"time":{"forward":1.25,"step":4},"loss":2.5,"compile_time":7})");
  EXPECT_EQ(report.step, 3);
  EXPECT_EQ(report.warmup, true);
  EXPECT_THAT(texts(report), ::testing::ElementsAre("forward time 1.25", "step time 4",
                                                    "step loss 2.5", "step compile_time 7"));
  EXPECT_EQ(read<StepReport>(R"({"step":0,"time":1})").warmup, std::nullopt);
  for (const char* loss : {"\"nan\"", "NaN", "-NaN"}) {
    const std::string line = std::string(R"({"step":0,"loss":)") + loss + "}";
    EXPECT_TRUE(std::isnan(read<StepReport>(line).samples[0].value)) << loss;
  }
  EXPECT_EQ(read<StepReport>(R"({"step":0,"loss":-Infinity})").samples[0].value, -INFINITY);
}

TEST(Report, MemoryFactsSkipsAndOutOfMemory) {
  const auto memory =
      read<PhaseMemory>(R"({"memory":"backward","peak_allocated":4096,"at_start_bytes":1024})");
  EXPECT_EQ(memory.phase, "backward");
  EXPECT_EQ(memory.peak_allocated, Bytes{4096});
  EXPECT_EQ(memory.at_start, Bytes{1024});
  EXPECT_EQ(memory.peak_reserved, std::nullopt) << "it does not know";
  EXPECT_EQ(read<FactReport>(R"({"fact":"torch","text":"2.11"})").text, "2.11");
  EXPECT_EQ(read<FactReport>(R"({"fact":"n","number":3})").number, 3.0);
  EXPECT_EQ(read<SkipReport>(R"({"skipped":"no GPU"})").reason, "no GPU");
  const auto oom = read<OomReport>(R"({"oom":"forward","requested":1e9})");
  EXPECT_EQ(oom.phase, "forward");
  EXPECT_EQ(oom.requested.value, 1'000'000'000);
}

TEST(Report, NamesWhatIsWrongWithALine) {
  struct Row {
    const char *line, *message;
  };
  for (const Row& row : {
           Row{"garbage", "it is not a JSON object"},
           Row{"[1]", "it is not a JSON object"},
           Row{"{\"step\":0", "it is not a JSON object: column 10: unexpected end of input"},
           Row{"{}", "it has none of `step`, `metrics`, `memory`"},
           Row{R"({"step":-1,"time":1})", "`step` is -1; expected an integer from 0"},
           Row{R"({"step":1.5,"time":1})", "`step` is 1.5"},
           Row{R"({"step":0})", "a step without a metric such as `time`"},
           Row{R"({"step":0,"time":{}})", "a step without a metric"},
           Row{R"({"step":0,"time":"fast"})", "`time` is \"fast\"; expected a number"},
           Row{R"({"step":0,"time":-1})", "`time` of step is -1; expected ms, from 0"},
           Row{R"({"step":0,"time":{"For ward":1}})", "`For ward` is not a phase name"},
           Row{R"({"step":0,"through put":1})", "`through put` is not the name of a metric"},
           Row{R"({"step":0,"peak_allocated_bytes":1})", "sweepd has another figure of this name"},
           Row{R"({"metrics":{"step":1}})", "`step` belongs to a step"},
           Row{R"({"metrics":3})", "`metrics` is 3; expected an object"},
           Row{R"({"step":0,"kernel_time":1})", "sweepd has another figure of this name"},
           Row{R"({"step":0,"warmup":1,"time":1})", "`warmup` is 1; expected true or false"},
           Row{R"({"memory":"step"})", "`peak_allocated` is missing"},
           Row{R"({"memory":"step","peak_allocated":-1})", "expected bytes"},
           Row{R"({"memory":"step","peak_alocated":1})",
               "`peak_alocated` is unknown beside `memory` (did you mean "
               "`peak_allocated`?)"},
           Row{R"({"fact":"a"})", "a fact has either `text` or `number`"},
           Row{R"({"fact":"a","text":1})", "`text` is 1; expected a text"},
           Row{R"({"skipped":true})", "`skipped` is true; expected a text"},
       }) {
    const auto report = parse_report(row.line);
    ASSERT_FALSE(report.ok()) << row.line;
    EXPECT_THAT(report.error().message, HasSubstr(row.message)) << row.line;
  }
}

// A stack has room for some tens of thousands of levels, and the message repeats the value.
TEST(Report, BracketsAreRefusedWithoutFollowingThem) {
  const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
  for (const std::string& line : {deep, std::string(200'000, '['), "{\"step\":" + deep + "}",
                                  "{\"step\":0,\"time\":" + deep + "}"}) {
    const auto report = parse_report(line);
    ASSERT_FALSE(report.ok());
    EXPECT_EQ(report.error().message, "it is nested more than 100 levels deep");
  }
}

}  // namespace
}  // namespace sweepd::command
