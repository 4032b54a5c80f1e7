#include "runner/daemon/attempts/ingest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "runner/base/gzip_file.h"
#include "tests/daemon/attempt_files.h"

namespace sweepd {
namespace {

using testing::Contains;
using testing::ElementsAre;

constexpr ExitStatus kExit0{std::nullopt, 0};
constexpr ExitStatus kSigkill{9, std::nullopt};

class IngestTest : public testing::Test {
 protected:
  IngestTest() {
    attempt_.row = 7;
    attempt_.timeout = seconds(30);
  }
  ~IngestTest() override { std::filesystem::remove_all(folder_.path()); }

  AttemptRecord read(const std::vector<EndedRank>& ranks,
                     std::optional<StopReason> stop = std::nullopt) const {
    return ingest(folder_, attempt_, ranks, stop);
  }
  static Event environment_of(const std::string& uuid, const std::string& cores) {
    EnvironmentEvent event;
    event.environment.cores = cores;
    DeviceInfo device;
    device.kind = "cuda";
    device.uuid = uuid;
    event.environment.devices = {device};
    return event;
  }
  // Returns "rank/step=value" for each sample.
  static std::vector<std::string> texts(const std::vector<Sample>& samples) {
    std::vector<std::string> texts;
    texts.reserve(samples.size());
    for (const Sample& s : samples) {
      texts.push_back(std::to_string(s.rank) + "/" + std::to_string(s.step) + "=" +
                      to_text(s.value));
    }
    return texts;
  }

  AttemptFolder folder_{std::filesystem::temp_directory_path() / ("sweepd-ingest-" + random_id())};
  OpenAttempt attempt_;
};

const Ending kDone{Done{"fixed_steps"}, 0};

// The settings when the steps began, with the ranks' devices in order.
TEST_F(IngestTest, TheLastWordOfTheFirstRankIsTheEnvironment) {
  EnvironmentEvent measured;
  measured.environment.cores = "0-3";
  measured.environment.tf32_matmul = true;
  EnvironmentEvent others = measured;
  others.environment.tf32_matmul = false;
  write_events(folder_, 0, {environment_of("GPU-a", "0-3"), measured, end(kDone, 6'000)});
  write_events(folder_, 1, {environment_of("GPU-b", "4-7"), others, end(kDone, 6'000)});
  const AttemptRecord record = read({{0, kExit0}, {1, kExit0}});
  ASSERT_TRUE(record.environment);
  EXPECT_EQ(record.environment->tf32_matmul, true);
  EXPECT_EQ(record.environment->cores, "0-3");
  ASSERT_EQ(record.environment->devices.size(), 2U);
  EXPECT_EQ(record.environment->devices[0].uuid, "GPU-a");
  EXPECT_EQ(record.environment->devices[1].uuid, "GPU-b");
}

// In any pass of any training workload.
TEST_F(IngestTest, ALossThatIsNoNumberIsSuspect) {
  write_events(folder_, 0,
               {environment_of("GPU-a", "0-3"), step(0, 2),
                FactEvent{"final_loss", std::nan(""), ""}, end(kDone, 6'000)});
  const AttemptRecord record = read({{0, kExit0}});
  EXPECT_THAT(record.judgement.reasons,
              Contains(testing::HasSubstr("the loss is nan after the last step")));
}

TEST_F(IngestTest, OneRanksJournalBecomesOneRecord) {
  WorkPerStep work;
  work.arithmetic = "bf16";
  work.tokens = 512;
  DeviceState before;
  before.moment = "before";
  before.load_average = 0.25;
  PhaseMemory memory;
  memory.phase = "forward";
  memory.peak_allocated = 3_MiB;
  write_events(folder_, 0,
               {StartedEvent{4242, {1}}, WorkEvent{work}, environment_of("GPU-a", "0-3"),
                StateEvent{before}, step(0, 100, true), step(1, 2), step(2, 4), MemoryEvent{memory},
                KernelEvent{{0, "forward", "ffn", "aten::mm"}},
                OperatorEvent{{0, "forward", "ffn", "aten::linear"}},
                FactEvent{"parameters", 1998235200, ""}, FactEvent{"dtype", std::nullopt, "bf16"},
                end(kDone, 6'000)});
  const AttemptRecord record = read({{0, kExit0}});
  EXPECT_EQ(record.row, 7);
  EXPECT_EQ(outcome_of(record.ending), Outcome::kDone);
  EXPECT_EQ(record.ended.ns, 6'000);
  EXPECT_EQ(record.work->arithmetic, "bf16");
  EXPECT_EQ(record.work->tokens, 512);
  EXPECT_EQ(record.environment->cores, "0-3");
  ASSERT_EQ(record.environment->states.size(), 1U);
  EXPECT_EQ(record.environment->states[0].load_average, 0.25);
  EXPECT_THAT(texts(record.samples), ElementsAre("0/0=100", "0/1=2", "0/2=4"));
  ASSERT_EQ(record.summaries.size(), 1U);
  EXPECT_EQ(record.summaries[0].stats.n, 2);  // without the warm-up
  EXPECT_EQ(record.summaries[0].stats.mean, 3);
  ASSERT_EQ(record.memory.size(), 1U);
  EXPECT_EQ(record.memory[0].peak_allocated, 3_MiB);
  ASSERT_EQ(record.kernels.size(), 1U);
  EXPECT_EQ(record.kernels[0].name, "aten::mm");
  ASSERT_EQ(record.operators.size(), 1U);
  EXPECT_EQ(record.operators[0].name, "aten::linear");
  ASSERT_EQ(record.facts.size(), 2U);
  EXPECT_EQ(record.facts[0].number, 1998235200);
  EXPECT_EQ(record.facts[1].text, "bf16");
  EXPECT_THAT(record.judgement.reasons,
              ElementsAre("the journal lacks the device's state after the steps"));
}

// Two processes wrote one journal; the first was thought to be dead.
TEST_F(IngestTest, StepsOfTwoWritersAreInvalid) {
  for (int writer = 0; writer < 2; ++writer) {
    EndEvent last{kDone, {6'000}};
    last.lines = last.steps = 2;
    write_events(folder_, 0, {step(0, 1), step(1, 2), last});
  }
  const AttemptRecord record = read({{0, kExit0}});
  EXPECT_EQ(record.judgement.verdict, Verdict::kInvalid);
  EXPECT_THAT(record.judgement.reasons,
              Contains("the journal holds 4 lines of steps, but 2 were written"));
}

TEST_F(IngestTest, WhatDidNotEndWellIsNotJudged) {
  write_events(folder_, 0, {step(0, std::nan(""))});
  EXPECT_THAT(read({{0, kSigkill}}).judgement.reasons, testing::IsEmpty());
}

TEST_F(IngestTest, TwoRanksStandInTheOrderOfTheirRanksWhicheverEndedFirst) {
  write_events(folder_, 0, {environment_of("GPU-a", "0-1"), step(0, 1), step(1, 2), end(kDone)});
  write_events(folder_, 1, {environment_of("GPU-b", "2-3"), step(0, 10), step(1, 20), end(kDone)});
  write_events(folder_, 1, {FactEvent{"loss", 2.5, ""}});
  for (const auto& order : {std::vector<EndedRank>{{0, kExit0}, {1, kExit0}},
                            std::vector<EndedRank>{{1, kExit0}, {0, kExit0}}}) {
    const AttemptRecord record = read(order);
    EXPECT_THAT(texts(record.samples), ElementsAre("0/0=1", "0/1=2", "1/0=10", "1/1=20"));
    ASSERT_EQ(record.environment->devices.size(), 2U);
    EXPECT_EQ(record.environment->devices[0].uuid, "GPU-a");
    EXPECT_EQ(record.environment->devices[1].uuid, "GPU-b");
    EXPECT_EQ(record.environment->cores, "0-1");  // rank 0's
    ASSERT_EQ(record.facts.size(), 1U);
    EXPECT_EQ(record.facts[0].rank, 1);
    EXPECT_EQ(record.summaries.at(0).stats.mean, 15);  // a step ends when its last rank does
  }
}

TEST_F(IngestTest, TheOrderOfDeathsDecidesTheEnding) {
  write_events(folder_, 0, {end({Failed{"a peer went away", "backward"}, 0})});
  write_phase(folder_, 1, "optimizer");
  const AttemptRecord peer_first = read({{1, kSigkill}, {0, kExit0}});
  ASSERT_EQ(outcome_of(peer_first.ending), Outcome::kCrashed);
  EXPECT_EQ(peer_first.ending.rank, 1);
  EXPECT_EQ(std::get<Crashed>(peer_first.ending.detail).phase, "optimizer");
  EXPECT_EQ(outcome_of(read({{0, kExit0}, {1, kSigkill}}).ending), Outcome::kFailed);
}

TEST_F(IngestTest, ATornLastLineIsNotThereYet) {
  write_events(folder_, 0, {step(0, 1)});
  const std::string torn = event_to_line(step(1, 2));
  write_text(folder_.events(0), torn.substr(0, torn.size() / 2));
  const AttemptRecord record = read({{0, kSigkill}});
  EXPECT_THAT(texts(record.samples), ElementsAre("0/0=1"));
  EXPECT_EQ(outcome_of(record.ending), Outcome::kCrashed);
}

TEST_F(IngestTest, ABrokenLineCostsThatLineOnly) {
  for (const std::string& broken :
       {std::string("{\"event\":\"step\",\"step\":1,\"wa"), std::string("\0\xff\x80", 3),
        std::string("[]"), std::string("{\"event\":\"unheard\"}"),
        std::string("{\"event\":\"step\",\"step\":\"one\",\"warmup\":false,\"samples\":[]}")}) {
    std::filesystem::remove_all(folder_.path());
    write_events(folder_, 0, {step(0, 1)});
    write_text(folder_.events(0), broken + "\n");
    write_events(folder_, 0, {step(2, 3), end(kDone)});
    const AttemptRecord record = read({{0, kExit0}});
    EXPECT_THAT(texts(record.samples), ElementsAre("0/0=1", "0/2=3")) << broken;
    EXPECT_EQ(outcome_of(record.ending), Outcome::kDone) << broken;
    EXPECT_EQ(record.judgement.verdict, Verdict::kSuspect) << broken;
    EXPECT_THAT(record.judgement.reasons, Contains("1 line of the journal could not be read"))
        << broken;
  }
}

// For any end. Earlier values stay.
TEST_F(IngestTest, AnAbsurdJournalIsAFailureThatNamesIt) {
  write_events(folder_, 0, {step(0, 1)});
  write_text(folder_.events(0), std::string((1 << 20) + 1, 'x') + "\n");
  write_events(folder_, 0, {end(kDone)});
  write_events(folder_, 1, {step(0, 2), end(kDone)});
  const AttemptRecord record = read({{1, kExit0}, {0, kExit0}});
  ASSERT_EQ(outcome_of(record.ending), Outcome::kFailed);
  EXPECT_EQ(std::get<Failed>(record.ending.detail).message,
            "the journal of rank 0 is not read to its end: events of rank 0, line 2: it is longer "
            "than 1MiB");
  EXPECT_THAT(texts(record.samples), ElementsAre("0/0=1", "1/0=2"));
  EXPECT_EQ(outcome_of(read({{0, kSigkill}, {1, kExit0}}, StopReason::kCancelled).ending),
            Outcome::kCancelled);
}

// It is one of the lines that were written, so none is missing beside it.
TEST_F(IngestTest, ABrokenLineIsNotAMissingOne) {
  write_events(folder_, 0, {FactEvent{"loss", 2.5, ""}});
  write_text(folder_.events(0), "{\"event\":\"fact\",\"na\n");
  EndEvent last{kDone, {6'000}};
  last.lines = 2;
  last.steps = 0;
  write_events(folder_, 0, {last});
  const std::vector<std::string> reasons = read({{0, kExit0}}).judgement.reasons;
  EXPECT_THAT(reasons, Contains("1 line of the journal could not be read"));
  EXPECT_THAT(reasons, testing::Not(Contains(testing::HasSubstr("were written"))));
}

TEST_F(IngestTest, AJournalThatIsALinkIsNotRead) {
  const std::filesystem::path elsewhere = folder_.path().string() + "-elsewhere";
  write_text(elsewhere, event_to_line(step(0, 1)) + "\n");
  std::filesystem::create_directories(folder_.path());
  std::filesystem::create_symlink(elsewhere, folder_.events(0));
  EXPECT_THAT(read({{0, kExit0}}).samples, testing::IsEmpty());
  std::filesystem::remove(elsewhere);
}

TEST_F(IngestTest, AFolderWithoutFilesIsACrash) {
  const AttemptRecord record = read({{0, {}}});
  ASSERT_EQ(outcome_of(record.ending), Outcome::kCrashed);
  EXPECT_EQ(std::get<Crashed>(record.ending.detail).phase, "");
  EXPECT_FALSE(record.work || record.environment);
  EXPECT_TRUE(record.samples.empty() && record.summaries.empty());
  EXPECT_GT(record.ended.ns, 0);  // no event has the time, so it is now
}

TEST_F(IngestTest, TheLastLineOfALongLogSpeaksForALostJournal) {
  write_text(folder_.log(0),
             std::string(100'000, 'x') + "\nloading\nNo space left on device\n\n \n");
  const Ending ending = read({{0, {std::nullopt, kExitJournal}}}).ending;
  ASSERT_EQ(outcome_of(ending), Outcome::kFailed);
  EXPECT_EQ(std::get<Failed>(ending.detail).message, "No space left on device");
}

TEST_F(IngestTest, AnEndlessLastLineIsCut) {
  write_text(folder_.log(0), std::string(100'000, 'x'));
  const Ending ending = read({{0, {std::nullopt, kExitJournal}}}).ending;
  EXPECT_EQ(std::get<Failed>(ending.detail).message, std::string(500, 'x'));
}

TEST_F(IngestTest, ReadingTwiceGivesTheSameRecord) {
  const Ending oom{Oom{1_GiB, 3_GiB, 4_GiB, "forward"}, 0};
  for (const Ending& ending : {kDone, oom}) {
    std::filesystem::remove_all(folder_.path());
    write_events(folder_, 0, {environment_of("GPU-a", "0"), step(0, 1), end(ending, 9'000)});
    const AttemptRecord once = read({{0, kExit0}});
    const AttemptRecord twice = read({{0, kExit0}});
    EXPECT_EQ(once.ended.ns, 9'000);
    EXPECT_EQ(twice.ended, once.ended);
    EXPECT_EQ(texts(twice.samples), texts(once.samples));
    EXPECT_EQ(describe(twice.ending), describe(once.ending));
    EXPECT_EQ(twice.environment->devices.size(), once.environment->devices.size());
  }
}

TEST_F(IngestTest, TheLastWordOfARankAlone) {
  EXPECT_FALSE(last_word(folder_, 0));
  write_events(folder_, 0, {step(0, 1)});
  EXPECT_FALSE(last_word(folder_, 0));
  write_events(folder_, 0, {end(kDone)});
  ASSERT_TRUE(last_word(folder_, 0));
  EXPECT_EQ(outcome_of(*last_word(folder_, 0)), Outcome::kDone);
  EXPECT_FALSE(last_word(folder_, 1));
}

// It would have to be read whole, and the loop asks for last words.
TEST_F(IngestTest, OfACompressedJournalThereIsNoLastWord) {
  write_events(folder_, 0, {end(kDone)});
  std::atomic<bool> stop = false;
  ASSERT_TRUE(compress_file(folder_.events(0), stop));
  EXPECT_FALSE(last_word(folder_, 0));
}

}  // namespace
}  // namespace sweepd
