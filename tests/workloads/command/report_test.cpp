// Tests the lines that a program writes to SWEEPD_METRICS_FD.
#include "workloads/command/program_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "workloads/command/metric_names.h"

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

TEST(Report, AMetricMayHaveAnyName) {
  MetricNames names;
  const auto stored = [&](const std::string& name) {
    const auto report = parse_report("{\"step\":0,\"" + name + "\":1}", names);
    EXPECT_TRUE(report) << name;
    return report ? texts(std::get<StepReport>(*report)).at(0) : "";
  };
  EXPECT_EQ(stored("val/loss"), "step val_loss 1");
  EXPECT_EQ(stored("through put"), "step through_put 1");
  EXPECT_EQ(stored("train.loss"), "step train_loss 1");
  EXPECT_EQ(stored("time.load"), "load time 1");
  EXPECT_EQ(stored("val.loss"), "step val_loss_2 1") << "`val/loss` has the name";
  EXPECT_EQ(stored("val/loss"), "step val_loss 1");
  std::vector<std::string> facts;
  for (const FactReport& fact : names.facts()) facts.push_back(fact.name + " " + fact.text);
  EXPECT_THAT(facts,
              ::testing::ElementsAre("metric.val_loss val/loss", "metric.through_put through put",
                                     "metric.train_loss train.loss", "metric.val_loss_2 val.loss"));
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

TEST(Report, ReadsTheBlocksOfAStep) {
  const auto blocks = parse_report(
      R"({"blocks":[[3,1024,0,null,"before","","block0.wq"],[4,8,5,9,"forward","ffn","aten::mm"]]})");
  ASSERT_TRUE(blocks) << blocks.error().message;
  const auto& rows = std::get<ObservedMemory>(*blocks).allocations;
  ASSERT_EQ(rows.size(), 2);
  EXPECT_EQ(rows[0].sequence, 3);
  EXPECT_EQ(rows[0].size.value, 1024);
  EXPECT_FALSE(rows[0].freed);
  EXPECT_EQ(rows[1].freed->ns, 9);
  EXPECT_EQ(rows[1].range + rows[1].origin, "ffnaten::mm");
  const auto held = parse_report(R"({"held":[["weights","block0.wq",16384]]})");
  ASSERT_TRUE(held);
  EXPECT_EQ(std::get<ObservedMemory>(*held).held[0].size.value, 16384);
  const auto timeline = parse_report(R"({"timeline":[[0,5,"allocate",4096,8,108,108,"forward"]]})");
  ASSERT_TRUE(timeline);
  EXPECT_EQ(std::get<ObservedMemory>(*timeline).timeline[0].allocated.value, 108);
}

TEST(Report, ReadsCountedWork) {
  const auto work = parse_report(R"({"work":{"forward":1.5e9,"step":4e9}})");
  ASSERT_TRUE(work) << work.error().message;
  EXPECT_EQ(std::get<WorkReport>(*work).phases[1].flops, 4e9);
  const auto again =
      parse_report(R"({"work":{"backward":3e9,"step":4e9},"recomputed":{"step":1e9}})");
  ASSERT_TRUE(again) << again.error().message;
  const std::vector<PhaseWork>& phases = std::get<WorkReport>(*again).phases;
  EXPECT_EQ(phases[0].recomputed_flops, 0);
  EXPECT_EQ(phases[1].recomputed_flops, 1e9);
}

TEST(Report, NamesWhatIsWrongWithALine) {
  struct Row {
    const char *line, *message;
  };
  for (const Row& row : {
           Row{"garbage", "it is not a JSON object"},
           Row{"[1]", "it is not a JSON object"},
           Row{"{\"step\":0", "it is not a JSON object: column 10: unexpected end of input"},
           Row{R"({"held":{}})", "expected a list of rows"},
           Row{R"({"held":[["weights",1]]})", "expected 3 values"},
           Row{R"({"held":[["weights",1,2]]})", "1 is not a text"},
           Row{R"({"timeline":[[0,0.5,"allocate",0,8,8,8,"step"]]})", "0.5 is not a whole number"},
           Row{R"({"blocks":[],"held":[]})", "`blocks` is unknown beside `held`"},
           Row{R"({"work":{"forward":-1}})", "the work of `forward` is -1"},
           Row{R"({"work":5})", "`work` is 5; expected an object"},
           Row{R"({"work":{"step":5},"recomputed":{"step":6}})",
               "`recomputed` of `step` is 6; expected at most its work"},
           Row{R"({"work":{"step":5},"recomputed":{"forward":1}})", "`recomputed` of `forward`"},
           Row{"{}", "it has none of `step`, `metrics`, `memory`"},
           Row{R"({"step":-1,"time":1})", "`step` is -1; expected an integer from 0"},
           Row{R"({"step":1.5,"time":1})", "`step` is 1.5"},
           Row{R"({"step":0})", "a step without a metric such as `time`"},
           Row{R"({"step":0,"time":{}})", "a step without a metric"},
           Row{R"({"step":0,"time":"fast"})", "`time` is \"fast\"; expected a number"},
           Row{R"({"step":0,"time":-1})", "`time` of step is -1; expected ms, from 0"},
           Row{R"({"step":0,"time":{"For ward":1}})", "`For ward` is not a phase name"},
           Row{R"({"step":0,"":1})", "the name of a metric is empty"},
           Row{R"({"step":0,"time.load":{"forward":1}})",
               "names a phase, and its value has others"},
           Row{R"({"step":0,"train":{"loss":{"a":1}}})", "`train` is {\"a\":1}; expected a number"},
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
