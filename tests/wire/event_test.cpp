#include "runner/wire/event.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace sweepd {
namespace {

using ::testing::HasSubstr;

constexpr double kInf = std::numeric_limits<double>::infinity();

template <class T>
T reread(const T& event, int rank = 0) {
  const auto read = event_from_line(event_to_line(event), rank);
  EXPECT_TRUE(read.ok()) << (read.ok() ? "" : read.error().message);
  return std::get<T>(*read);
}

std::string error_of_line(std::string_view line) {
  const auto read = event_from_line(line, 0);
  return read.ok() ? "no error" : read.error().message;
}

TEST(Event, LinesAreAsTheGrammarShows) {
  StepEvent step{3, true, {}};
  step.samples = {{0, 3, "forward", "time", 1.25, true}, {0, 3, "step", "host_time", 4, true}};
  EXPECT_EQ(event_to_line(step),
            R"({"event":"step","step":3,"warmup":true,)"
            R"("samples":[["forward","time",1.25],["step","host_time",4.0]]})");
  EXPECT_EQ(event_to_line(StartedEvent{4242, {1700000000000000001}}),
            R"({"event":"started","pid":4242,"wall_ns":1700000000000000001})");
  EXPECT_EQ(event_to_line(FactEvent{"loss.0", 9.5, ""}),
            R"({"event":"fact","name":"loss.0","number":9.5})");
  EXPECT_EQ(event_to_line(FactEvent{"dtype", std::nullopt, "bf16"}),
            R"({"event":"fact","name":"dtype","text":"bf16"})");
  KernelEvent kernel;
  kernel.record = {0,  "forward", "ffn", "aten::mm", {8, 1, 1}, {128, 1, 1}, 2,
                   30, 15,        15,    10,         20,        7.5};
  EXPECT_EQ(event_to_line(kernel),
            R"({"event":"kernel","phase":"forward","range":"ffn","name":"aten::mm",)"
            R"("grid":[8,1,1],"block":[128,1,1],"calls":2,"total_ns":30.0,"mean_ns":15.0,)"
            R"("median_ns":15.0,"min_ns":10.0,"max_ns":20.0,"std_ns":7.5})");
  EXPECT_EQ(event_to_line(EndEvent{{Done{"fixed_steps"}}, {7}}),
            R"({"event":"end","outcome":"done","stop_reason":"fixed_steps","wall_ns":7})");
  EndEvent fault{{Failed{"no", "step"}}, {7}};
  fault.device_fault = "uncorrectable ECC error";
  EXPECT_EQ(event_to_line(fault),
            R"({"event":"end","outcome":"failed","message":"no","phase":"step","wall_ns":7,)"
            R"("device_fault":"uncorrectable ECC error"})");
  EXPECT_EQ(reread(fault, 0).device_fault, fault.device_fault);
}

TEST(Event, RankIsTheFilesOnEveryValue) {
  StepEvent step{0, false, {}};
  step.samples = {{0, 0, "step", "time", 1, false}};
  EXPECT_EQ(reread(step, 5).samples[0].rank, 5);
  EXPECT_EQ(reread(MemoryEvent{}, 5).record.rank, 5);
  EXPECT_EQ(reread(KernelEvent{}, 5).record.rank, 5);
  EXPECT_EQ(reread(OperatorEvent{}, 5).record.rank, 5);
  EXPECT_EQ(reread(StateEvent{}, 5).record.rank, 5);
  EXPECT_EQ(reread(EndEvent{{Done{""}}, {}}, 5).ending.rank, 5);
  EXPECT_EQ(reread(HeldMemoryEvent{{HeldMemory{}}}, 5).rows[0].rank, 5);
  EXPECT_EQ(reread(AllocationsEvent{{Allocation{}}}, 5).rows[0].rank, 5);
  EXPECT_EQ(reread(MemoryTimelineEvent{{MemoryPoint{}}}, 5).rows[0].rank, 5);
}

TEST(Event, NumbersThatAreNotFiniteSurvive) {
  EXPECT_TRUE(std::isnan(*reread(FactEvent{"loss.1", std::nan(""), ""}).number));
  EXPECT_EQ(*reread(FactEvent{"x", kInf, ""}).number, kInf);
  EXPECT_EQ(*reread(FactEvent{"x", -kInf, ""}).number, -kInf);
  StepEvent step{0, false, {}};
  step.samples = {{0, 0, "step", "loss", std::nan(""), false}};
  EXPECT_TRUE(std::isnan(reread(step).samples[0].value));
}

TEST(Event, EveryEndingKeepsItsDetails) {
  const Ending endings[] = {
      {Done{"relative_error"}},
      {Oom{{1610612736}, {3435973836}, {4294967296}, "backward"}},
      {Timeout{seconds(90), "forward"}},
      {Crashed{11, std::nullopt, "optimizer"}},
      {Crashed{std::nullopt, 3, "setup"}},
      {Crashed{std::nullopt, std::nullopt, "setup"}},
      {Failed{"first line\nsecond \"quoted\" line", "check"}},
      {Cancelled{"by sweepctl cancel"}},
      {Skipped{"no NVIDIA driver on this machine"}},
  };
  for (const Ending& ending : endings) {
    const Ending again = reread(EndEvent{ending, {1}}).ending;
    EXPECT_EQ(outcome_of(again), outcome_of(ending));
    EXPECT_EQ(describe(again), describe(ending));
    EXPECT_EQ(event_to_line(EndEvent{again, {1}}), event_to_line(EndEvent{ending, {1}}));
  }
}

TEST(Event, EnvironmentSurvivesWithWhatIsUnknownLeftOut) {
  EnvironmentEvent event;
  Environment& environment = event.environment;
  environment.host = {"id",   "box",   "AMD EPYC",  64,          2,
                      64_GiB, 256_MiB, "Linux 6.1", "Debian 12", ""};
  DeviceInfo gpu;
  gpu.kind = "cuda";
  gpu.uuid = "GPU-1";
  gpu.name = "NVIDIA H200";
  gpu.power_limit_watts = 700.5;
  gpu.ecc = true;
  environment.devices = {gpu};
  environment.torch_version = "2.11.0";
  environment.tf32_matmul = false;
  environment.threads = 4;
  environment.cores = "0-3";

  const std::string line = event_to_line(event);
  EXPECT_THAT(line, Not(HasSubstr("governor")));
  EXPECT_THAT(line, Not(HasSubstr("tf32_cudnn")));
  const Environment again = reread(event).environment;
  EXPECT_EQ(event_to_line(EnvironmentEvent{again}), line);
  EXPECT_EQ(again.host.cpu_model, "AMD EPYC");
  EXPECT_EQ(again.host.memory, 64_GiB);
  EXPECT_EQ(again.host.cache, 256_MiB);
  EXPECT_EQ(again.devices.at(0).power_limit_watts, 700.5);
  EXPECT_EQ(again.tf32_matmul, false);
  EXPECT_EQ(again.tf32_cudnn, std::nullopt);
}

TEST(Event, BytesThatAreNotUtf8DoNotBreakTheLine) {
  const Ending ending{Failed{"bad \xff byte", "forward"}};
  EXPECT_EQ(std::get<Failed>(reread(EndEvent{ending, {}}).ending.detail).message,
            "bad \uFFFD byte");
}

TEST(Event, MistakesAreNamed) {
  struct Row {
    const char* line;
    const char* message;
  };
  const Row rows[] = {
      {R"({"event":"stp","step":1})", "unknown event `stp`; expected one of started, work"},
      {R"({"event":"stp","step":1})", "did you mean `step`?"},
      {R"({"step":1})", "`event` is missing"},
      {R"({"event":"step","warmup":false,"samples":[]})", "step: `step` is missing"},
      {R"({"event":"step","step":"1","warmup":false,"samples":[]})",
       R"(step: `step`: expected an integer, got "1")"},
      {R"({"event":"step","step":1.5,"warmup":false,"samples":[]})",
       "step: `step`: expected an integer, got 1.5"},
      {R"({"event":"step","step":1,"warmup":false,"samples":[["forward","time"]]})",
       "`samples[0]`: expected [phase, metric, value]"},
      {R"({"event":"work","arithmetic":"fp32","tokens":0,"figures":[],"phases":[{"phase":"x"}]})",
       "`phases[0].flops` is missing"},
      {R"({"event":"work","arithmetic":"fp32","tokens":0,"ruler":"time","figures":[],"phases":[]})",
       R"(`ruler`: expected arithmetic or memory, got "time")"},
      {R"({"event":"end","outcome":"don","wall_ns":0})", "`outcome`: `don` is not an outcome"},
      {R"({"event":"end","outcome":"oom","requested":1,"in_use":1,"wall_ns":0})",
       "`limit` is missing"},
      {R"({"event":"started","pid":99999999999999999999,"wall_ns":0})",
       "`pid`: expected an integer"},
      {R"({"event":"started",)", "not valid JSON"},
      {R"([1])", "expected an object, got [1]"},
  };
  for (const Row& row : rows)
    EXPECT_THAT(error_of_line(row.line), HasSubstr(row.message)) << row.line;
}

// A stack has room for some tens of thousands of levels; a journal has room for more.
TEST(Event, ALineOfBracketsIsRefusedWithoutFollowingThem) {
  const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
  for (const std::string& line :
       {deep, std::string(200'000, '['), R"({"event":)" + deep + "}",
        R"({"event":"fact","name":"a","text":)" + deep + "}",
        R"({"event":"step","step":1,"warmup":false,"samples":)" + deep + "}"}) {
    EXPECT_THAT(error_of_line(line), HasSubstr("nested more than 100 levels deep"));
  }
}

TEST(EventReader, ALineWithoutItsNewlineIsNotThereYet) {
  EventReader reader(2);
  std::vector<Event> events;
  const std::string line = event_to_line(FactEvent{"dtype", std::nullopt, "bf16"}) + "\n";
  for (const char byte : line.substr(0, line.size() - 1)) {
    ASSERT_TRUE(reader.feed({&byte, 1}, events).ok());
    ASSERT_TRUE(events.empty());
  }
  ASSERT_TRUE(reader.feed("\n" + line.substr(0, 9), events).ok());
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(std::get<FactEvent>(events[0]).text, "bf16");
}

// Each byte is searched once, also if few come at a time, and at most a line is kept.
TEST(EventReader, DoesWorkInProportionToWhatItIsFed) {
  EventReader reader(0);
  std::vector<Event> events;
  const std::string byte = "x";
  for (std::size_t i = 0; i < kLongestJournalLine; ++i) ASSERT_TRUE(reader.feed(byte, events));
  EXPECT_EQ(reader.searched(), kLongestJournalLine);
  EXPECT_EQ(reader.kept(), kLongestJournalLine);
  // Of a text with very many broken lines, too.
  EventReader torn(0);
  std::string lines;
  for (int i = 0; i < 5000; ++i) lines += "x\n";
  int mistakes = 0;
  for (auto fed = torn.feed(lines, events); !fed; fed = torn.feed("", events)) ++mistakes;
  EXPECT_EQ(mistakes, 5000);
  EXPECT_EQ(torn.searched(), std::ssize(lines));
  EXPECT_EQ(torn.kept(), 0U);
}

TEST(EventReader, ALineThatIsTooLongIsOneMistakeAndNotKept) {
  const std::string good = R"({"event":"fact","name":"a","text":"1"})";
  const std::string slice(1 << 20, 'x');
  for (const std::string& head : {std::string("x"), "\n" + good + "\nx"}) {
    EventReader reader(0);
    std::vector<Event> events;
    auto fed = reader.feed(head + slice, events);
    ASSERT_FALSE(fed.ok());
    EXPECT_EQ(fed.error().code, ErrorCode::kResourceExhausted);
    EXPECT_THAT(fed.error().message, HasSubstr("it is longer than 1MiB"));
    for (int i = 0; i < 100; ++i) {
      ASSERT_TRUE(reader.feed(slice, events).ok());
      ASSERT_EQ(reader.kept(), 0U);
    }
    events.clear();
    EXPECT_TRUE(reader.feed("x\n" + good + "\n", events).ok());
    EXPECT_EQ(events.size(), 1U);
  }
  EventReader reader(0);
  std::vector<Event> events;
  EXPECT_FALSE(reader.feed("x" + slice + "\n" + good + "\n", events).ok());
  EXPECT_TRUE(reader.feed("", events).ok());
  EXPECT_EQ(events.size(), 1U);
}

TEST(EventReader, ABrokenLineIsNamedAndTheRestIsStillRead) {
  const std::string good = R"({"event":"fact","name":"a","text":"1"})";
  EventReader reader(1);
  std::vector<Event> events;
  const auto read = reader.feed(good + "\n{\"event\":\n" + good + "\n" + good + "\n", events);
  ASSERT_FALSE(read.ok());
  EXPECT_THAT(read.error().message, HasSubstr("events of rank 1, line 2: not valid JSON"));
  EXPECT_EQ(events.size(), 1U);
  EXPECT_TRUE(reader.feed("", events).ok());
  EXPECT_EQ(events.size(), 3U);
}

}  // namespace
}  // namespace sweepd
