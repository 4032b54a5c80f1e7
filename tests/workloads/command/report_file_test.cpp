// The file that a program writes by itself, as the worker reads it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "runner/worker/run_attempt.h"
#include "tests/worker/attempt_files.h"

namespace sweepd {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kTable = "printf 'iter,ms/iter,val/loss\\n0,5,9\\n1,4,8\\n'";

// A program with `reports: {format: csv, file: out/results.csv, map: ...}`.
struct WritingStory : AttemptFiles {
  explicit WritingStory(const std::string& script, NamedTexts more = {})
      : AttemptFiles("command", {}) {
    std::ofstream(folder.path() / "program") << script;
    request.params.emplace_back("argv", "sh " + (folder.path() / "program").string());
    NamedTexts all{{"reports", "csv"},
                   {"reports_file", "out/results.csv"},
                   {"reports_map", "time = ms/iter\n"},
                   {"warmup", "1"}};
    for (auto& [name, text] : all) {
      const std::string& own = name;
      const auto given =
          std::ranges::find_if(more, [&](auto& param) { return param.first == own; });
      if (given == more.end()) more.emplace_back(name, text);
    }
    for (auto& param : more) request.params.push_back(std::move(param));
    write();
    EXPECT_EQ(run_attempt(folder.path(), 0, {Registry::instance(), make_device}), kExitOk);
  }
  std::vector<std::string> samples() const {
    std::vector<std::string> out;
    for (const StepEvent& event : all<StepEvent>()) {
      for (const Sample& s : event.samples) {
        if (s.phase == "setup") continue;
        out.push_back(std::to_string(event.step) + (event.warmup ? "w " : " ") + s.metric + " " +
                      to_text(s.value));
      }
    }
    return out;
  }
  std::string fact(const std::string& name) const {
    for (const FactEvent& event : all<FactEvent>()) {
      if (event.name == name) return event.text;
    }
    return "";
  }
};

std::string text_in(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

TEST(WrittenFile, IsReadByItsMap) {
  const WritingStory story(std::string("mkdir out; echo 9,9; ") + kTable + " > out/results.csv");
  EXPECT_EQ(story.ending(), "done");
  EXPECT_THAT(story.samples(),
              ElementsAre("0w time 5", "0w val_loss 9", "1 time 4", "1 val_loss 8"));
  EXPECT_EQ(story.fact("metric.val_loss"), "val/loss");
  EXPECT_FALSE(fs::exists(story.folder.path() / "reports.0")) << "it is there already";
}

TEST(WrittenFile, ElsewhereIsKeptWithoutSecrets) {
  const TempFolder cwd;
  std::ofstream(cwd.path() / "results.csv") << "iter,ms/iter\n0,1\n";
  ::setenv("FILE_TOKEN", "hunter2hunter2", 1);
  const NamedTexts params{{"cwd", cwd.path().string()},
                          {"reports_file", "results.csv"},
                          {"secrets", "FILE_TOKEN"},
                          {"reports_map", "time = ms/iter"}};
  const WritingStory story(
      "printf 'iter,ms/iter,host\\n0,5,hunter2hunter2\\n1,4,b\\n' > results.csv", params);
  const WritingStory idle("exit 0", params);
  ::unsetenv("FILE_TOKEN");
  EXPECT_EQ(story.ending(), "done");
  EXPECT_EQ(text_in(story.folder.path() / "reports.0/results.csv"),
            "iter,ms/iter,host\n0,5,[FILE_TOKEN]\n1,4,b\n");
  EXPECT_THAT(text_in(cwd.path() / "results.csv"), HasSubstr("hunter2")) << "the user's own file";
  EXPECT_THAT(
      idle.ending(),
      HasSubstr("reports: file: `results.csv` existed before, and the program did not change it"));
}

TEST(WrittenFile, ThatIsNoneIsNamed) {
  const TempFolder other;
  std::ofstream(other.path() / "results.csv") << "iter,ms/iter\n0,1\n1,2\n";
  const std::string there = other.path().string();
  const struct {
    std::string script, says;
    NamedTexts params;
  } rows[] = {
      {"true", "`out/results.csv` is not there: the program did not write it", {}},
      {"mkdir out; ln -s " + there + "/results.csv out/results.csv", "is a symbolic link", {}},
      {"ln -s " + there + " out", "is in a folder that is a link out of the working folder", {}},
      {"mkdir out; mkfifo out/results.csv", "is a FIFO; expected a regular file", {}},
      {"mkdir -p out/results.csv", "expected a regular file", {}},
      {"mkdir out; truncate -s 65M out/results.csv", "is larger than 64 MiB", {}},
      {"true", "expected a file below the program's working folder", {{"reports_file", "../x"}}},
      {"true", "expected a file below the program's working folder", {{"reports_file", "/x"}}},
      {std::string("mkdir out; ") + kTable + " > out/results.csv",
       "reported no step after its warm-up; `map` of `reports` names `time_ms`; there were `iter`, "
       "`ms/iter`",
       {{"reports_map", "time = time_ms\nloss = val/loss\nwarmup = ms/iter"}}},
      {std::string("mkdir out; ") + kTable + " > out/results.csv",
       "reports: map: it is for csv and ndjson",
       {{"reports", "nccl-tests"}}},
      {"true", "reports: `samples` is no format of a file or of a map", {{"reports", "samples"}}},
  };
  for (const auto& row : rows) {
    const WritingStory story(row.script, row.params);
    EXPECT_THAT(story.ending(), HasSubstr(row.says)) << row.script;
    EXPECT_THAT(story.ending(), ::testing::StartsWith("failed: ")) << row.script;
  }
}

TEST(WrittenFile, OfAnyFormatMayBeNamed) {
  const WritingStory story(
      R"(echo '{"results":[{"command":"x","times":[0.5]}]}' > own.json)",
      {{"reports", "hyperfine"}, {"reports_file", "own.json"}, {"reports_map", ""}});
  EXPECT_EQ(story.ending(), "done");
  EXPECT_THAT(story.samples(), ElementsAre("0 time 500"));
}

}  // namespace
}  // namespace sweepd
