#include "runner/daemon/attempts/run_note.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/daemon/attempt_files.h"
#include "tests/worker/temp_folder.h"

namespace sweepd {
namespace {

using ::testing::ElementsAre;

class RunNoteTest : public ::testing::Test {
 protected:
  RunNoteTest() { std::filesystem::create_directories(attempt_.path()); }

  TempFolder folder_;
  AttemptFolder attempt_{folder_.path() / "attempt"};
};

TEST_F(RunNoteTest, IsReadAsItWasWritten) {
  const RunNote note{{{1, {SIGKILL, std::nullopt}}, {0, {std::nullopt, 3}}, {2, {}}},
                     StopReason::kTimeout,
                     Hang{"all_reduce 7", {2}}};
  ASSERT_TRUE(write_run_note(attempt_, note));
  const auto read = read_run_note(attempt_);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->stop, StopReason::kTimeout);
  ASSERT_EQ(read->ended.size(), 3U);
  EXPECT_EQ(read->ended[0].rank, 1);
  EXPECT_EQ(read->ended[0].exit.signal, SIGKILL);
  EXPECT_EQ(read->ended[1].exit.code, 3);
  EXPECT_FALSE(read->ended[2].exit.signal || read->ended[2].exit.code);
  ASSERT_TRUE(read->hang);
  EXPECT_EQ(read->hang->collective, "all_reduce 7");
  EXPECT_THAT(read->hang->waited_for, ElementsAre(2));
}

TEST_F(RunNoteTest, WithoutAStopAndAHang) {
  ASSERT_TRUE(write_run_note(attempt_, {{{1, {}}}, std::nullopt, std::nullopt}));
  const auto read = read_run_note(attempt_);
  ASSERT_TRUE(read);
  EXPECT_FALSE(read->stop);
  EXPECT_FALSE(read->hang);
}

// Any program may write into the folder, and a disk may lose the file.
TEST_F(RunNoteTest, WhatIsNoNoteIsNone) {
  EXPECT_FALSE(read_run_note(attempt_)) << "no file";
  for (const char* text : {"", "oops", "[]", "{}", "{\"ended\":3}",
                           "{\"ended\":[{\"rank\":\"x\"}]}", "{\"ended\":[],\"hang\":[]}"}) {
    std::filesystem::remove(attempt_.end_note());
    write_text(attempt_.end_note(), text);
    EXPECT_FALSE(read_run_note(attempt_)) << text;
  }
  std::filesystem::remove(attempt_.end_note());
  std::filesystem::create_symlink("/dev/zero", attempt_.end_note());
  EXPECT_FALSE(read_run_note(attempt_)) << "a link";
}

}  // namespace
}  // namespace sweepd
