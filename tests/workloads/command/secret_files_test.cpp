// Tests that no secret of a program is kept, in what it says or in what it writes.
#include "workloads/command/secret_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "runner/worker/run_attempt.h"
#include "tests/worker/attempt_files.h"

namespace sweepd {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kSecret = "pa\"ss-wörd/1";
constexpr const char* kEscaped = R"(pa\u0022ss\u002dw\u00f6rd\/1)";

// An attempt whose program has the secret TEST_SECRET, and TEST_PIN, which is short.
struct SecretStory : AttemptFiles {
  explicit SecretStory(const std::string& script, const std::string& reports = "samples")
      : AttemptFiles("command", {{"argv", "sh {folder}/program {arg1}"},
                                 {"arg1", kEscaped},
                                 {"reports", reports},
                                 {"warmup", "0"},
                                 {"steps", "1"},
                                 {"secrets", "TEST_SECRET TEST_PIN"}}) {
    std::ofstream(folder.path() / "program") << script;
    ::setenv("TEST_SECRET", kSecret, 1);
    ::setenv("TEST_PIN", "abc", 1);
    testing::internal::CaptureStdout();
    EXPECT_EQ(run_attempt(folder.path(), 0, {Registry::instance(), make_device}), kExitOk);
    log = testing::internal::GetCapturedStdout();
    ::unsetenv("TEST_SECRET");
    ::unsetenv("TEST_PIN");
  }
  std::string fact(const std::string& name) const {
    for (const FactEvent& event : all<FactEvent>()) {
      if (event.name == name) return event.text;
    }
    return "";
  }
  std::string content(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(folder.path() / name, std::ios::binary).rdbuf();
    return text.str();
  }
  std::string log;
};

TEST(SecretFiles, NoneIsStoredHoweverTheProgramSpellsIt) {
  const SecretStory story(R"(
      echo "{\"fact\":\"said\",\"text\":\"<$1>\"}" >&3
      echo "{\"fact\":\"twice\",\"text\":\"<pa\u005cu0022ss-wörd/1>\"}" >&3
      echo "{\"step\":0,\"time\":1}" >&3
      printf '%s\n' "$TEST_SECRET" "<$1>" "$TEST_PIN" >&2
      head -c 1048570 /dev/zero | tr '\0' x; printf '%s\n' "$TEST_SECRET")");
  EXPECT_EQ(story.ending(), "done");
  EXPECT_EQ(story.fact("said"), "<[TEST_SECRET]>");
  EXPECT_EQ(story.fact("twice"), "<[TEST_SECRET]>");
  EXPECT_EQ(story.fact("secrets.not_hidden"), "TEST_PIN: it has fewer than 4 characters");
  EXPECT_EQ(story.log.find("ss-w"), std::string::npos);
  EXPECT_THAT(story.content("events.0.ndjson"),
              AllOf(Not(HasSubstr("ss-w")), Not(HasSubstr("u0022ss"))));
  EXPECT_THAT(story.log, HasSubstr("[TEST_SECRET]\n<[TEST_SECRET]>\nabc\n"));
}

TEST(SecretFiles, AReportIsCoveredBeforeItIsRead) {
  const SecretStory story(R"(
      echo "{\"benchmarks\":[{\"name\":\"$1\",\"run_type\":\"iteration\",\"real_time\":1,\"cpu_time\":1,\"time_unit\":\"ms\"}]}" > report.json)",
                          "google-benchmark");
  EXPECT_THAT(story.content("report.json"), HasSubstr("\"[TEST_SECRET]*"));
  EXPECT_EQ(story.fact("secrets.covered_in"), "report.json");
  EXPECT_THAT(story.content("events.0.ndjson"), Not(HasSubstr("ss-w")));
}

TEST(SecretFiles, AreCoveredWhereverTheyAreInTheFolder) {
  const SecretStory story(R"(
      echo "{\"step\":0,\"time\":1}" >&3
      head -c 1048570 /dev/zero >binary; printf '%s' "$TEST_SECRET" >>binary
      mkdir deeper; cp binary deeper/x; chmod 400 deeper/x
      printf '%s' "<$1>" >plain.txt
      printf '%s' "$TEST_SECRET" >one; ln one another
      ln -s /dev/zero link; mkfifo fifo)");
  EXPECT_EQ(story.ending(), "done");
  EXPECT_EQ(story.fact("secrets.covered_in"), "binary, deeper/x, plain.txt");
  EXPECT_THAT(story.fact("secrets.not_hidden"),
              HasSubstr("another: it has another name, perhaps elsewhere, one: it has another "));
  const std::string covered = "[TEST_SECRET]";
  EXPECT_EQ(story.content("binary"), std::string(1048570, '\0') + covered);
  EXPECT_EQ(story.content("deeper/x"), std::string(1048570, '\0') + covered);
  EXPECT_EQ(story.content("plain.txt"), "<" + covered + std::string(15, '*') + ">");
  EXPECT_EQ(story.content("one"), kSecret);
  EXPECT_EQ(fs::status(story.folder.path() / "deeper" / "x").permissions(), fs::perms(0400));
}

// Its files are searched whether its end is good or bad, and whoever measured the time.
TEST(SecretFiles, AFailureLeavesNoneInThem) {
  for (const char* reports : {"samples", "nothing"}) {
    const SecretStory story("echo \"$TEST_SECRET\" > core.txt; echo \"no $TEST_SECRET\"; exit 3",
                            reports);
    // Without reports the whole run is a step.
    const std::string phase = reports == std::string_view("nothing") ? "step" : "setup";
    EXPECT_EQ(story.ending(),
              "failed: the program ended with exit code 3: no [TEST_SECRET], in " + phase);
    EXPECT_EQ(story.content("core.txt"), "[TEST_SECRET]\n");
  }
  const SecretStory garbled("echo \"{$1\" >&3");
  EXPECT_THAT(garbled.ending(), AllOf(HasSubstr("failed: line 1"), HasSubstr("`{[TEST_SECRET]`")));
}

}  // namespace
}  // namespace sweepd
