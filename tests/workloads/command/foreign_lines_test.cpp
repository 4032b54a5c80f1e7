// Reads what programs write that know nothing of sweepd: their own names, columns and objects.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/workloads/command/report_texts.h"
#include "workloads/command/format_parts.h"
#include "workloads/command/formats.h"

namespace sweepd::command {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Texts = std::vector<std::string>;

void take_texts(const std::vector<Report>& reports, Texts& found) {
  for (std::string& text : report_texts(reports)) found.push_back(std::move(text));
}

// The reports of lines of output, and what is said at their end.
Texts foreign(const std::string& format, const Texts& output, const std::string& map = "") {
  LineFormat reader(format, map);
  Texts found;
  for (const std::string& line : output) take_texts(reader.read(line), found);
  take_texts(reader.finish(), found);
  return found;
}

Texts of_file(const std::string& format, const std::string& text, const std::string& map = "") {
  LineFormat reader(format, map, CsvTable::Source::kFile);
  Texts found;
  take_texts(reader.read_file(text), found);
  take_texts(reader.finish(), found);
  return found;
}

template <class Read>
std::string refusal(const Read& read) {
  try {
    read();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

TEST(ForeignLines, ObjectsAreGroupsAndThoseOfTimesPhases) {
  EXPECT_THAT(
      foreign("ndjson",
              {R"({"step":3,"train":{"loss":2.1,"acc":{"top1":0.5}},"time":{"Forward":1.2}})",
               R"({"step":4,"train.loss":2,"val/loss":NaN,"time.load":1})"}),
      ElementsAre("3 step train_loss 2.1", "3 step train_acc_top1 0.5", "3 forward time 1.2",
                  "4 step train_loss 2", "4 step val_loss nan", "4 load time 1",
                  "fact metric.train_loss: train.loss",
                  "fact metric.train_acc_top1: train.acc.top1", "fact metric.val_loss: val/loss"));
}

TEST(ForeignLines, WhatIsNoNumberIsLeftOutAndCounted) {
  EXPECT_THAT(
      foreign("ndjson", {R"({"event":"start","model":{"name":"gpt2"}})",
                         R"({"step":0,"loss":2,"lr_schedule":"cosine","ok":true,"x":null})",
                         R"({"step":1,"loss":1,"lr_schedule":"cosine","tags":[1,2]})"}),
      ElementsAre("0 step loss 2", "1 step loss 1",
                  "fact ndjson.omitted: `event` in 1 line, `lr_schedule` in 2 lines, "
                  "`model.name` in 1 line, `ok` in 1 line, `tags` in 1 line, `x` in 1 line"));
}

TEST(ForeignLines, AStepHasOneOfItsNamesOrIsCounted) {
  for (const char* name : {"step", "iter", "iteration", "global_step"}) {
    EXPECT_THAT(foreign("ndjson", {fmt::format("{{\"{}\":7,\"loss\":1}}", name)}),
                ElementsAre("7 step loss 1"))
        << name;
    EXPECT_THAT(foreign("csv", {fmt::format("{},loss", name), "7,1"}), ElementsAre("7 step loss 1"))
        << name;
  }
  EXPECT_THAT(foreign("ndjson", {R"({"iter":1,"step":2,"loss":3})"}),
              ElementsAre("2 step iter 1", "2 step loss 3"));
  EXPECT_THAT(foreign("ndjson", {R"({"lr":1})", R"({"loss":5})", R"({"loss":4})",
                                 R"({"eval":{"loss":6}})", R"({"loss":3})"}),
              ElementsAre("0 step lr 1", "0 step loss 5", "1 step loss 4", "1 step eval_loss 6",
                          "2 step loss 3", "fact metric.eval_loss: eval.loss"))
      << "a figure belongs to the step at which it comes";
  EXPECT_THAT(refusal([] { foreign("ndjson", {R"({"step":"3/9","loss":1})"}); }),
              HasSubstr("reports: ndjson: line 1: `step` is \"3/9\"; expected an integer from 0"));
}

TEST(ForeignLines, AMetricOfEachTenthStepKeepsItsStep) {
  EXPECT_THAT(foreign("csv", {"iter,loss,val/loss", "8,3,", "9,2,4", "10,1,"}),
              ElementsAre("8 step loss 3", "9 step loss 2", "9 step val_loss 4", "10 step loss 1",
                          "fact metric.val_loss: val/loss"));
}

TEST(ForeignLines, ANameOfAFigureOfSweepdGetsAnother) {
  EXPECT_THAT(foreign("ndjson", {R"({"step":0,"kernel_time":1,"peak_allocated_bytes":2})"}),
              ElementsAre("0 step own_kernel_time 1", "0 step own_peak_allocated_bytes 2",
                          "fact metric.own_kernel_time: kernel_time",
                          "fact metric.own_peak_allocated_bytes: peak_allocated_bytes"));
}

TEST(ForeignLines, ThoseOfSweepdAreUnderstoodAmidThem) {
  EXPECT_THAT(foreign("ndjson", {R"({"fact":"torch","text":"2.11"})", R"({"skipped":"no GPU"})",
                                 R"({"metrics":{"joules":2,"train":{"loss":1}}})",
                                 R"({"step":1,"memory":12,"fact":3})"}),
              ElementsAre("fact torch: 2.11", "skipped: no GPU", "once step joules 2",
                          "once step train_loss 1", "1 step memory 12", "1 step own_fact 3",
                          "fact metric.train_loss: train.loss", "fact metric.own_fact: fact"));
  EXPECT_THAT(refusal([] { foreign("ndjson", {R"({"memory":"step","peak_alocated":1})"}); }),
              HasSubstr("line 1: `peak_alocated` is unknown beside `memory`"));
}

TEST(ForeignLines, ATableHasTextsDatesAndQuotes) {
  EXPECT_THAT(
      foreign("csv",
              {"date,host,\"size, MB\",tokens/s,iter", "2026-11-28 20:10:55,a,1,\"12,345.5\",0",
               "2026-11-28 20:10:56,\"b, \"\"the\"\" c\",2,OOM,1"}),
      ElementsAre("0 step size_MB 1", "0 step tokens_s 12345.5", "1 step size_MB 2",
                  "fact metric.size_MB: size, MB", "fact metric.tokens_s: tokens/s",
                  "fact csv.omitted: 1 cell is no number: the first is `OOM`, line 3, column 4; "
                  "columns `date`, `host` have no numbers"));
}

TEST(ForeignLines, NamesWithUnitsAreNames) {
  EXPECT_THAT(
      foreign("csv", {"step,wall time (s),time_ms,GFLOP/s", "0,1.5,3,7"}),
      ElementsAre("0 step wall_time_s 1.5", "0 step time_ms 3", "0 step GFLOP_s 7",
                  "fact metric.wall_time_s: wall time (s)", "fact metric.GFLOP_s: GFLOP/s"));
}

TEST(ForeignLines, TabsAndSemicolonsSeparateToo) {
  EXPECT_THAT(foreign("csv", {"a;b", "1;2", "step\tloss", "0\t2", "step;rate", "1;2.5"}),
              ElementsAre("0 step loss 2", "1 step rate 2.5"));
  EXPECT_THAT(refusal([] {
                foreign("csv", {"step;rate", "1;2,5"});
              }),
              HasSubstr("line 2, column 2: `2,5` has a comma that may be a decimal one"));
  EXPECT_THAT(refusal([] { foreign("csv", {"step;rate", "1;2,500"}); }), HasSubstr("`2,500`"));
  EXPECT_THAT(refusal([] { foreign("csv", {"step,rate", "1,\"2,5\""}); }), HasSubstr("`2,5`"));
}

TEST(ForeignLines, AFilesFirstLineIsItsHead) {
  EXPECT_THAT(
      of_file("csv", "\xEF\xBB\xBF# Iteration Time (ms), note here\r\n3.5,x\r\n\r\n4,y\r\n"),
      ElementsAre("0 step Iteration_Time_ms 3.5", "1 step Iteration_Time_ms 4",
                  "fact metric.Iteration_Time_ms: Iteration Time (ms)",
                  "fact csv.omitted: column `note here` has no numbers"));
  EXPECT_THAT(of_file("csv", ",step,loss\n0,5,2\n1,6,1\nmean,,1.5\n7,8\n"),
              ElementsAre("5 step loss 2", "6 step loss 1",
                          "fact csv.omitted: 2 lines are no row: the first is line 4"));
  EXPECT_THAT(of_file("csv", "# made by x, y\n# seed 5\nstep,loss\n# note, here\n0,2\n# 1,3\n"),
              ElementsAre("0 step loss 2"));
  EXPECT_THAT(of_file("csv", "latency\n5\n6\n"),
              ElementsAre("0 step latency 5", "1 step latency 6"));
  EXPECT_THAT(refusal([] { of_file("csv", "0,5\n1,6\n"); }),
              "reports: csv: line 1: expected the names of columns, each another one: `0,5`");
}

TEST(ForeignLines, WhatIsNoJsonIsIgnoredAndACutLineCounted) {
  EXPECT_THAT(foreign("ndjson", {"{'loss': 2}", "{rank 0} ready", "{", R"({"loss":1})"}),
              ElementsAre("0 step loss 1"));
  EXPECT_THAT(of_file("ndjson", "{\"iter\":1,\"loss\":2}\n{\"iter\":2,\"lo"),
              ElementsAre("1 step loss 2", "fact ndjson.omitted: the last line, which is cut"));
}

TEST(ForeignLines, AFileOfJsonIsLinesOrOneDocument) {
  EXPECT_THAT(of_file("ndjson", "{\"iter\":1,\"loss\":2}\n{\"iter\":2,\"loss\":1}\n"),
              ElementsAre("1 step loss 2", "2 step loss 1"));
  EXPECT_THAT(of_file("ndjson", "[\n {\"iter\":1,\"loss\":2},\n {\"iter\":2,\"loss\":1}]\n"),
              ElementsAre("1 step loss 2", "2 step loss 1"));
  EXPECT_THAT(of_file("ndjson", "{\n \"latency\": {\"p50\": 2},\n \"name\": \"x\"\n}\n"),
              ElementsAre("once step latency_p50 2", "fact metric.latency_p50: latency.p50",
                          "fact ndjson.omitted: `name` in 1 line"));
  EXPECT_THAT(of_file("ndjson", "{\"rate\": 5}"), ElementsAre("once step rate 5"));
  EXPECT_THAT(refusal([] { of_file("ndjson", "{\n \"a\": oops\n}\n"); }),
              HasSubstr("reports: ndjson: it is not JSON: line 2, column 7: "));
}

TEST(Map, SaysWhatColumnsAndKeysAre) {
  EXPECT_THAT(
      foreign("csv", {"iteration,step,ms/iter,wall time (s),val/loss", "0,9,5,0.5,2"},
              "step = iteration\ntime = ms/iter\nhost_time = wall time (s)\nval = val/loss"),
      ElementsAre("0 step time 5", "0 step host_time 500", "0 step val 2",
                  "fact csv.omitted: the map has another `step`"));
  for (const char* theirs : {"train.loss", "train/loss"}) {
    EXPECT_THAT(foreign("ndjson", {R"({"n":4,"train":{"loss":2,"acc":1},"took":{"s":3}})"},
                        fmt::format("step = n\nloss = {}\ntime.load:s = took.s", theirs)),
                ElementsAre("4 step loss 2", "4 step train_acc 1", "4 load time 3000",
                            "fact metric.train_acc: train.acc"))
        << theirs;
  }
}

TEST(Map, TakesAUnitFromTheNameOfATime) {
  const struct {
    const char* theirs;
    double ms;
  } rows[] = {{"wall time (s)", 2000}, {"t [us]", 0.002}, {"s/it", 2000}, {"step_ms", 2},
              {"time sec", 2000},      {"took", 2},       {"it/s", 2},    {"t (\u00b5s)", 0.002},
              {"latency_ns", 2e-6},    {"(s", 2}};
  for (const auto& row : rows) {
    EXPECT_THAT(foreign("csv", {fmt::format("iter,{}", row.theirs), "0,2"},
                        fmt::format("time = {}", row.theirs)),
                ElementsAre(fmt::format("0 step time {:g}", row.ms)))
        << row.theirs;
  }
  EXPECT_THAT(foreign("csv", {"iter,t_ms", "0,2"}, "time:s = t_ms"),
              ElementsAre("0 step time 2000"))
      << "the map has the last word";
}

TEST(Map, NamesWhatWasNotThere) {
  LineFormat reader("csv", "time = ms/itr\nstep = iter");
  reader.read("iter,ms/iter");
  reader.read("0,5");
  EXPECT_EQ(reader.unmatched(), "`ms/itr` (did you mean `ms/iter`?); there were `iter`, `ms/iter`");
  EXPECT_THAT(foreign("ndjson", {"nothing"}, "time = t"),
              ElementsAre("fact map.unmatched: `t`; there were no names"));
}

TEST(Map, RefusesWhatIsNoMap) {
  const struct {
    const char *map, *says;
  } rows[] = {
      {"time", "reports: map: `time`: expected `OURS = THEIRS`"},
      {"val/loss = x", "`val/loss` is not the name of a metric"},
      {"loss:s = x", "`loss` is no time"},
      {"time = a\ntime = b", "reports: map: `time = b`: the map has another one"},
      {"time = a\nloss = a", "`a` is mapped twice"},
  };
  for (const auto& row : rows) {
    EXPECT_THAT(refusal([&] { LineFormat("csv", row.map); }), HasSubstr(row.says)) << row.map;
  }
  EXPECT_THAT(refusal([] { LineFormat("nccl-tests", "time = x"); }),
              HasSubstr("it is for csv and ndjson"));
}

TEST(Numbers, MayHaveCommasBetweenThousands) {
  const struct {
    const char* text;
    double value;
    bool is_number, has_decimal_comma;
  } rows[] = {
      {"12,345", 12345, true, false}, {"-1,234,567.25", -1234567.25, true, false},
      {"1,000e3", 1e6, true, false},  {"12", 12, true, false},
      {"12,5", 0, false, true},       {"0,123", 0, false, true},
      {"1.234,5", 0, false, true},    {"1234,567", 0, false, true},
      {"1,2,3", 0, false, false},     {"12,345,6", 0, false, false},
      {"1.5,000", 0, false, true},    {",123", 0, false, false},
      {"1,234x", 0, false, false},    {"", 0, false, false},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(number_in_print(row.text), row.is_number ? std::optional(row.value) : std::nullopt)
        << row.text;
    EXPECT_EQ(has_decimal_comma(row.text), row.has_decimal_comma) << row.text;
  }
}

}  // namespace
}  // namespace sweepd::command
