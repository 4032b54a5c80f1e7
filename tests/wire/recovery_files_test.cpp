// Tests the files that only a recovery of the database reads: submissions and endings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "runner/wire/outcome_file.h"
#include "runner/wire/submission.h"

namespace sweepd {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

class RecoveryFiles : public testing::Test {
 protected:
  RecoveryFiles() {
    char pattern[] = "/tmp/sweepd_recovery_XXXXXX";
    folder_ = mkdtemp(pattern);
  }
  ~RecoveryFiles() override { fs::remove_all(folder_); }
  fs::path folder_;
};

TEST_F(RecoveryFiles, ASubmissionIsReadAsItWasWritten) {
  const Submission submission{"5eeb5eeb5eeb5eeb",
                              "contexts",
                              WallTime{1'700'000'000'000'000'017},
                              "sweep: contexts\n# \"quoted\" µ\n",
                              1,
                              {"context=16,32", "model=xl"},
                              true,
                              "/home/me",
                              {"PATH=/bin", "TOKEN=a=b"},
                              3,
                              {{"local", "cpu"}, {"h200", "cuda"}}};
  const fs::path sweeps = folder_ / "sweeps";
  ASSERT_TRUE(write_submission(sweeps, submission));
  EXPECT_THAT(pending_submissions(sweeps), ElementsAre(submission.id));
  EXPECT_THAT(submission_files(sweeps), ElementsAre(sweeps / "5eeb5eeb5eeb5eeb.json.pending"));
  settle_submission(sweeps, submission.id, /*is_stored=*/true);
  EXPECT_THAT(pending_submissions(sweeps), ElementsAre());
  EXPECT_THAT(submission_files(sweeps), ElementsAre(submission_file(sweeps, submission.id)));
  const auto read = read_submission(submission_file(sweeps, submission.id));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->id, submission.id);
  EXPECT_EQ(read->name, submission.name);
  EXPECT_EQ(read->submitted.ns, submission.submitted.ns);
  EXPECT_EQ(read->text, submission.text);
  EXPECT_EQ(read->document, 1);
  EXPECT_THAT(read->set, ElementsAre("context=16,32", "model=xl"));
  EXPECT_TRUE(read->set_where_it_fits);
  EXPECT_EQ(read->folder, "/home/me");
  EXPECT_THAT(read->environment, ElementsAre("PATH=/bin", "TOKEN=a=b"));
  EXPECT_EQ(read->version, 3);
  EXPECT_THAT(read->devices, ElementsAre(Pair("h200", "cuda"), Pair("local", "cpu")));
}

// A file's content decides no path: `delete` would remove another file.
TEST_F(RecoveryFiles, AnIdThatIsNoneNeverBecomesAPath) {
  const fs::path sweeps = folder_ / "a" / "sweeps", outside = folder_ / "w";
  fs::create_directories(outside);
  fs::create_directories(sweeps);
  std::ofstream(outside / "package.json") << "precious";
  std::ofstream(outside / "package.json.pending") << "precious";
  const SweepId id = "../../w/package";
  pend_submission(sweeps, id);
  settle_submission(sweeps, id, /*is_stored=*/false);
  settle_submission(sweeps, id, /*is_stored=*/true);
  EXPECT_EQ(fs::file_size(outside / "package.json"), 8U);
  EXPECT_TRUE(fs::exists(outside / "package.json.pending"));

  const auto refusal = [&](const std::string& sweep, const std::string& name,
                           const std::string& file = "5eeb.json") {
    std::ofstream(sweeps / file) << R"({"sweep": ")" + sweep + R"(", "name": ")" + name +
                                        R"(", "submitted_ns": 1, "text": "", "devices": {}})";
    const auto read = read_submission(sweeps / file);
    return read ? "none" : read.error().message;
  };
  EXPECT_EQ(refusal("5eeb", "contexts"), "none");
  EXPECT_EQ(refusal("5eeb", "contexts", "5eeb.json.pending"), "none");
  EXPECT_THAT(refusal(id, "contexts"), HasSubstr("sweep: `../../w/package` is not an id"));
  EXPECT_THAT(refusal("", "contexts"), HasSubstr("is not an id"));
  EXPECT_THAT(refusal("5eeb", "a$(touch PWNED)"), HasSubstr("name: `a$(touch PWNED)` is not"));
  EXPECT_THAT(refusal("5eeb", std::string(1 << 20, 'a')),
              AllOf(HasSubstr("aaa…` is not a name"), testing::SizeIs(testing::Lt(400))));
  EXPECT_THAT(refusal("5eeb", "contexts", "5eeb-copy.json"), HasSubstr("is not called so"));
}

TEST_F(RecoveryFiles, EveryEndingIsReadAsItWasWritten) {
  const fs::path file = folder_ / "outcome.json";
  const std::vector<Ending> endings{
      {Oom{Bytes{8}, Bytes{4}, Bytes{10}, "forward"}, 1}, {Timeout{seconds(30), "optimizer"}, 0},
      {Crashed{9, std::nullopt, "backward"}, 3},          {Failed{"no such file", "setup"}, 0},
      {Cancelled{"cancelled while running"}, 0},          {Skipped{"no GPU"}, 0}};
  for (const Ending& ending : endings) {
    ASSERT_TRUE(write_outcome(file, {ending, WallTime{17}}));
    const auto read = read_outcome(file);
    ASSERT_TRUE(read && *read) << read.error().message;
    EXPECT_EQ((*read)->ended.ns, 17);
    EXPECT_EQ((*read)->ending.rank, ending.rank);
    EXPECT_EQ(outcome_of((*read)->ending), outcome_of(ending));
    EXPECT_EQ(describe((*read)->ending), describe(ending));
  }
}

TEST_F(RecoveryFiles, WhatIsWrongIsNamed) {
  const auto none = read_outcome(folder_ / "outcome.json");
  ASSERT_TRUE(none);
  EXPECT_FALSE(*none) << "most attempts have none";
  std::ofstream(folder_ / "outcome.json") << R"({"ended_ns": 1, "rank": 0, "outcome": "lost"})";
  EXPECT_THAT(read_outcome(folder_ / "outcome.json").error().message,
              AllOf(HasSubstr("outcome.json: `outcome`"), HasSubstr("lost")));
  std::ofstream(folder_ / "torn.json") << R"({"sweep": "5eeb)";
  EXPECT_THAT(read_submission(folder_ / "torn.json").error().message,
              HasSubstr("torn.json: not valid JSON"));
  std::ofstream(folder_ / "short.json") << R"({"sweep": "5eeb", "name": "contexts"})";
  EXPECT_THAT(read_submission(folder_ / "short.json").error().message,
              HasSubstr("short.json: `submitted_ns` is missing"));
}

}  // namespace
}  // namespace sweepd
