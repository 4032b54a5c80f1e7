// Tests the workload as the worker runs it: a request goes in, a journal comes out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "runner/worker/run_attempt.h"
#include "tests/worker/attempt_files.h"

namespace sweepd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

struct Story : AttemptFiles {
  explicit Story(const std::string& script, NamedTexts more = {}, Pass pass = Pass::kTiming)
      : AttemptFiles("command", {}, pass) {
    std::ofstream(folder.path() / "program") << script;
    request.params.emplace_back("argv", "sh {folder}/program {arg1}");
    bool has_argument = false;
    for (auto& param : more) {
      has_argument |= param.first == "arg1";
      request.params.push_back(std::move(param));
    }
    if (!has_argument) request.params.emplace_back("arg1", "-");
    write();
    EXPECT_EQ(run_attempt(folder.path(), 0, {Registry::instance(), make_device}), kExitOk);
  }
  // The text of the fact; "" if there is none.
  std::string fact(const std::string& name) const {
    for (const FactEvent& event : all<FactEvent>()) {
      if (event.name == name) return event.text;
    }
    return "";
  }
  // Returns "1w forward time 2.5" for each sample.
  std::vector<std::string> samples() const {
    std::vector<std::string> out;
    for (const StepEvent& event : all<StepEvent>()) {
      for (const Sample& s : event.samples) {
        if (s.phase == "setup") continue;
        out.push_back(std::to_string(event.step) + (event.warmup ? "w " : " ") + s.phase + " " +
                      s.metric + " " + to_text(s.value));
      }
    }
    return out;
  }
};

TEST(Command, StoresWhatTheProgramReports) {
  const Story story(
      R"(echo '{"step":0,"time":{"forward":8,"step":9}}' >&3
         echo '{"step":1,"time":{"forward":2.5,"step":3},"loss":7.5}' >&3
         echo "{\"step\":2,\"warmup\":false,\"time\":$1}" >&3
         echo '{"fact":"torch","text":"2.11"}' >&3)",
      {{"warmup", "1"}, {"steps", "2"}, {"arg1", "4"}});
  EXPECT_EQ(story.ending(), "done");
  EXPECT_THAT(story.samples(),
              ElementsAre("0w forward time 8", "0w step time 9", "1 forward time 2.5",
                          "1 step time 3", "1 step loss 7.5", "2 step time 4"));
  const auto facts = story.all<FactEvent>();
  ASSERT_EQ(facts.size(), 2u);
  EXPECT_EQ(facts[0].name + " " + facts[0].text, "torch 2.11");
  EXPECT_EQ(facts[1].name, "wall_ms");
  EXPECT_GT(*facts[1].number, 0);
  EXPECT_EQ(std::get<Done>(story.all<EndEvent>().at(0).ending.detail).stop_reason, "program");
}

TEST(Command, MetricsOfTheWholeRunAreEnough) {
  const Story story(R"(echo '{"metrics":{"joules":2.5,"time":{"load":7}}}' >&3)");
  EXPECT_EQ(story.ending(), "done");
  EXPECT_THAT(story.samples(), ElementsAre("0 step joules 2.5", "0 load time 7"));
}

TEST(Command, ReadsReportsAmidTheOutput) {
  const Story story(R"(echo hello; echo '{"step":0,"time":3,"rate":4}'; echo bye)",
                    {{"reports", "ndjson"}, {"warmup", "0"}});
  EXPECT_EQ(story.ending(), "done");
  EXPECT_THAT(story.samples(), ElementsAre("0 step time 3", "0 step rate 4"));
}

TEST(Command, ReadsTheReportThatTheProgramWrites) {
  const Story story(R"(echo '{"results":[{"command":"x","times":[0.5]}]}' > report.json)",
                    {{"reports", "hyperfine"}});
  EXPECT_EQ(story.ending(), "done");
  EXPECT_THAT(story.samples(), ElementsAre("0 step time 500"));
  const Story printed(R"(echo '{"results":[{"command":"x","times":[0.5]}]}')",
                      {{"reports", "hyperfine"}});
  EXPECT_THAT(printed.samples(), ElementsAre("0 step time 500"));
  const Story garbled("echo oops", {{"reports", "hyperfine"}});
  EXPECT_THAT(garbled.ending(), HasSubstr("reports: hyperfine: its report is not JSON"));
}

// A name that `command` itself has for templates, with another type.
TEST(Command, AProgramHasItsDeclaredParameters) {
  AttemptFiles files("mm", {{"argv", R"(sh -c 'test $SWEEPD_PARAM_block = 65536 &&
      test $1 = --block=65536 && test $0 = 3 &&
      test "$SWEEPD_PARAMS" = "{{\"size\":2.5,\"block\":65536,\"model\":3}}" &&
      echo "{{\"step\":0,\"time\":{size}}}" >&3' {model})"},
                            {"args", "--block={block}"},
                            {"size", "2.5"},
                            {"warmup", "0"}});
  WorkloadDef program;
  program.name = "mm";
  program.base = "command";
  ParamDef size;
  size.name = "size";
  size.type = ValueType::kReal;
  size.default_value = 1.0;
  size.declared = true;
  ParamDef block = size;
  block.name = "block";
  block.type = ValueType::kBytes;
  block.default_value = std::int64_t{65536};
  ParamDef model = size;
  model.name = "model";
  model.type = ValueType::kInteger;
  model.default_value = std::int64_t{3};
  program.params = {size, block, model};
  files.request.program = program;
  files.write();
  EXPECT_EQ(run_attempt(files.folder.path(), 0, {Registry::instance(), make_device}), kExitOk);
  EXPECT_EQ(files.ending(), "done");
  bool found = false;
  for (const StepEvent& event : files.all<StepEvent>()) {
    for (const Sample& sample : event.samples)
      found |= sample.metric == "time" && sample.value == 2.5;
  }
  EXPECT_TRUE(found);
}

TEST(Command, AProfilersFilesAreNamed) {
  const Story story("echo ran", {{"profiler", "sh -c 'echo 7 > {folder}/perf.txt; \"$@\"' -"}},
                    Pass::kProfile);
  EXPECT_EQ(story.ending(), "done");
  std::string files;
  for (const FactEvent& fact : story.all<FactEvent>()) {
    if (fact.name == "profile.files") files = fact.text;
  }
  EXPECT_EQ(files, "perf.txt, program");
  const Story none("echo ran", {}, Pass::kProfile);
  EXPECT_THAT(none.ending(), HasSubstr("profiler: the profile pass needs one"));
}

TEST(Command, RefusesRangesThatAreNone) {
  const Story story("true", {{"observe", "torch"}, {"ranges", "module 3"}});
  EXPECT_THAT(story.ending(), HasSubstr("ranges: `module 3`; expected `modules`, or `modules 3`"));
}

TEST(Command, FindsTheModuleForPython) {
  const Story story(
      "exec python3 -c 'import sweepd_metrics as s; s.step(0, 1.5, rate=2); s.metrics(n=3)'",
      {{"warmup", "0"}});
  EXPECT_EQ(story.ending(), "done");
  EXPECT_THAT(story.samples(), ElementsAre("0 step time 1.5", "0 step rate 2", "0 step n 3"));
}

TEST(Command, ReadsFiguresOffTheOutput) {
  const Story story(
      "for i in 9 2 3; do echo took 0.00$i s; done; echo bus 12 GB/s",
      {{"warmup", "1"}, {"patterns", "time:s = took ([0-9.]+) s\nfact.busbw = bus ([0-9.]+)"}});
  EXPECT_EQ(story.ending(), "done");
  EXPECT_THAT(story.samples(), ElementsAre("0w step time 9", "1 step time 2", "2 step time 3"));
  EXPECT_EQ(story.all<FactEvent>().at(0).number, 12.0);
}

TEST(Command, ThatReportsNothingIsTimedFromOutsideRunByRun) {
  const Story story("echo run >> runs; sleep 0.02",
                    {{"reports", "nothing"}, {"warmup", "1"}, {"steps", "2"}});
  EXPECT_EQ(story.ending(), "done");
  std::ifstream runs(story.folder.path() / "runs");
  EXPECT_EQ(std::count(std::istreambuf_iterator<char>(runs), {}, '\n'), 3);
  int timed = 0;
  for (const StepEvent& event : story.all<StepEvent>()) {
    for (const Sample& sample : event.samples) {
      if (sample.metric != "host_time") continue;
      EXPECT_GE(sample.value, 20);
      ++timed;
    }
  }
  EXPECT_EQ(timed, 3);
}

TEST(Command, ItsMemoryIsWhatItReports) {
  const Story story(
      R"(echo '{"step":0,"time":1}' >&3
         echo "{\"memory\":\"step\",\"peak_allocated\":4096,\"at_end\":${#SWEEPD_PASS}}" >&3)",
      {{"warmup", "0"}}, Pass::kMemory);
  EXPECT_EQ(story.ending(), "done");
  EXPECT_THAT(story.samples(), IsEmpty());
  const auto memory = story.all<MemoryEvent>();
  ASSERT_EQ(memory.size(), 1u) << "`setup` would be of the worker";
  EXPECT_EQ(memory[0].record.phase, "step");
  EXPECT_EQ(memory[0].record.peak_allocated, Bytes{4096});
  EXPECT_EQ(memory[0].record.at_end, Bytes{6}) << "memory: it knows its pass";
  EXPECT_EQ(memory[0].record.at_start, std::nullopt) << "it does not say";
  EXPECT_EQ(story.fact("metrics.not_stored"), "time: the memory pass stores memory only");
}

// What a pass leaves out is named.
TEST(Command, WhatIsNotStoredIsNamed) {
  const std::string script = R"(echo '{"step":0,"time":1,"loss":2}' >&3
      echo '{"metrics":{"joules":3}}' >&3
      echo '{"memory":"step","peak_allocated":4096}' >&3)";
  EXPECT_EQ(Story(script, {{"profiler", "env"}}, Pass::kProfile).fact("metrics.not_stored"),
            "joules, loss, time: the profiler slows the program");
  const Story timing(script, {{"warmup", "0"}});
  EXPECT_EQ(timing.ending(), "done");
  EXPECT_EQ(timing.fact("metrics.not_stored"), "");
  EXPECT_EQ(timing.fact("memory.not_stored"), "of step: only the memory pass stores it");
  EXPECT_EQ(Story("echo '{\"step\":0,\"rate\":1}' >&3",
                  {{"reports", "nothing"}, {"warmup", "0"}, {"steps", "1"}})
                .fact("metrics.not_stored"),
            "rate: with `reports: nothing` only the time of each run is stored");
}

TEST(Command, AMatchInsideOfANumberIsAWarning) {
  const Story story("echo rate 193,831; echo rate 7",
                    {{"warmup", "0"}, {"patterns", "rate = rate ([0-9.]+)"}});
  EXPECT_EQ(story.ending(), "done");
  EXPECT_THAT(story.fact("warning.patterns"), HasSubstr("`193` of `193,831` in line 1"));
}

TEST(Command, ABenchmarkOfWhichAllIsSkippedIsSkipped) {
  const Story story(
      R"(echo '{"benchmarks":[{"name":"BM_a","skipped":true,"skip_message":"no GPU"}]}')",
      {{"reports", "google-benchmark"}});
  EXPECT_EQ(story.ending(), "skipped: BM_a: no GPU");
}

TEST(Command, ItsMemoryIsItsResidentSetWhereItReportsNone) {
  const Story story("sleep 0.1", {}, Pass::kMemory);
  EXPECT_EQ(story.ending(), "done");
  const PhaseMemory memory = story.all<MemoryEvent>().at(0).record;
  EXPECT_EQ(memory.phase, "step");
  ASSERT_TRUE(memory.device_in_use);
  EXPECT_GT(memory.device_in_use->value, 100 << 10);
  EXPECT_EQ(memory.peak_allocated, std::nullopt) << "no allocator said so";
  EXPECT_EQ(memory.peak_reserved, std::nullopt);
}

TEST(Command, EndsBecomeOutcomes) {
  struct Row {
    const char *script, *ending;
  };
  for (const Row& row : {
           Row{"echo ValueError: no; exit 2",
               "failed: the program ended with exit code 2: ValueError: no, in setup"},
           Row{"kill -SEGV $$", "crashed: killed by SIGSEGV (11), in setup"},
           Row{"echo '{\"step\":0,\"time\":1}' >&3; exit 2",
               "failed: the program ended with exit code 2, in step"},
           Row{"echo no torch here; exit 77", "skipped: no torch here"},
           Row{"echo '{\"skipped\":\"needs 2 GPUs\"}' >&3", "skipped: needs 2 GPUs"},
           Row{"echo 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.50 GiB'; "
               "exit 1",
               "oom: out of memory: asked for 1.50 GiB"},
           Row{"echo '{\"oom\":\"backward\",\"requested\":1048576}' >&3; exit 1",
               "oom: out of memory: asked for 1.0 MiB"},
           Row{"exit 0",
               "failed: the program exited with code 0 but reported no step: it must write lines"},
           Row{"echo '{\"step\":0,\"time\":1}' >&3",
               "failed: the program exited with code 0 but reported no step after its warm-up"},
       }) {
    EXPECT_THAT(Story(row.script).ending(), StartsWith(row.ending)) << row.script;
  }
  EXPECT_THAT(Story("echo '{\"oom\":\"backward\"}' >&3; exit 1").ending(),
              HasSubstr("in backward"));
}

TEST(Command, GarbageIsAFailureWithItsLine) {
  struct Row {
    const char *script, *message;
  };
  for (const Row& row : {
           Row{"echo '{\"step\":0,\"time\":1}' >&3; echo Segmentation fault >&3; sleep 100",
               "failed: line 2 of the program's report: it is not a JSON object: `Segmentation "
               "fault`"},
           Row{"echo '{\"step\":0,\"fact\":1}' >&3", "sweepd has another figure of this name"},
           Row{"for i in 0 0; do echo '{\"step\":0,\"time\":1}' >&3; done",
               "time of step: step 0 comes after step 0: `{\"step\":0,\"time\":1}`"},
           Row{"echo '{\"step\":1000000000,\"time\":1}' >&3", "step 1000000000 is too large"},
           Row{"head -c 2000000 /dev/zero >&3", "line 1 of the program's report"},
       }) {
    EXPECT_THAT(Story(row.script).ending(), HasSubstr(row.message)) << row.script;
  }
}

TEST(Command, MistakesInTheTrialAreNamed) {
  struct Row {
    NamedTexts params;
    const char* message;
  };
  const Row rows[] = {
      {{}, "argv: a command needs a program"},
      {{{"argv", "echo {contxt}"}}, "{contxt} is not a parameter (did you mean `context`?)"},
      {{{"argv", "echo"}, {"env", "A-B"}}, "env: `A-B` is not an assignment; expected NAME=value"},
      {{{"argv", "echo"}, {"patterns", "speed:ms = x"}}, "`speed` is no time"},
      {{{"argv", "echo"}, {"flush_cache", "L2"}}, "flush_cache: `command` times its steps itself"},
      {{{"argv", "echo"}, {"cwd", "/no/such/folder"}}, "cwd: `/no/such/folder`: No such file"},
  };
  for (const Row& row : rows) {
    AttemptFiles files("command", row.params);
    EXPECT_EQ(run_attempt(files.folder.path(), 0, {Registry::instance(), make_device}), kExitOk);
    EXPECT_THAT(files.ending(), StartsWith("failed: "));
    EXPECT_THAT(files.ending(), HasSubstr(row.message));
  }
  AttemptFiles missing("command", {{"argv", "sweepd-no-such-program"}});
  run_attempt(missing.folder.path(), 0, {Registry::instance(), make_device});
  EXPECT_THAT(missing.ending(), StartsWith("skipped: cannot run `sweepd-no-such-program`"));
}

TEST(Command, ParametersReachTheProgramAsTheyAre) {
  AttemptFiles files("command", {{"argv",
                                  "sh -c 'printf \"%s|\" \"$@\" > out' - {model} {context} {bytes} "
                                  "{causal} {arg1} {rank} {warmup} {device}"},
                                 {"reports", "nothing"},
                                 {"warmup", "0"},
                                 {"steps", "1"},
                                 {"model", "2.7B"},
                                 {"context", "1K"},
                                 {"bytes", "1KiB"},
                                 {"arg1", "a 'b' $HOME;"}});
  EXPECT_EQ(run_attempt(files.folder.path(), 0, {Registry::instance(), make_device}), kExitOk);
  EXPECT_EQ(files.ending(), "done");
  std::string out;
  std::getline(std::ifstream(files.folder.path() / "out"), out);
  EXPECT_EQ(out, "2.7B|1000|1024|false|a 'b' $HOME;|0|0|cpu|");
}

}  // namespace
}  // namespace sweepd
