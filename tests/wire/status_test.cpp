#include "runner/wire/status.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

namespace sweepd {
namespace {

class StatusTest : public ::testing::Test {
 protected:
  StatusTest() {
    char pattern[] = "/tmp/sweepd_status_XXXXXX";
    folder_ = mkdtemp(pattern);
    file_ = folder_ / "status.0";
  }
  ~StatusTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_, file_;
};

TEST_F(StatusTest, AFileThatIsMissingOrShortReadsAsTheDefault) {
  EXPECT_EQ(read_status(file_).step, -1);
  std::ofstream(file_) << "short";
  EXPECT_EQ(read_status(file_).step, -1);
  EXPECT_EQ(read_status(file_).phase, "");
}

TEST_F(StatusTest, ANewPageIsBeforeTheFirstStep) {
  const auto writer = StatusWriter::open(file_);
  ASSERT_TRUE(writer.ok());
  EXPECT_EQ(std::filesystem::file_size(file_), 128U);
  EXPECT_EQ(read_status(file_).step, -1);
}

// On a full disk, storing into a page without blocks would kill the rank with SIGBUS.
TEST_F(StatusTest, ANewPageHasItsBlocks) {
  const auto writer = StatusWriter::open(file_);
  ASSERT_TRUE(writer.ok());
  struct stat info {};
  ASSERT_EQ(::stat(file_.c_str(), &info), 0);
  EXPECT_GT(info.st_blocks, 0);
}

TEST_F(StatusTest, IsReadWhileItIsWritten) {
  auto writer = StatusWriter::open(file_);
  ASSERT_TRUE(writer.ok());
  writer->set_step(41);
  writer->set_phase("backward");
  writer->set_note("all_reduce #7");
  EXPECT_EQ(read_status(file_).step, 41);
  EXPECT_EQ(read_status(file_).phase, "backward");
  EXPECT_EQ(read_status(file_).note, "all_reduce #7");
  writer->set_phase("step");  // shorter than before: nothing of the old text may be left
  EXPECT_EQ(read_status(file_).phase, "step");
}

TEST_F(StatusTest, LongTextsAreCut) {
  auto writer = StatusWriter::open(file_);
  ASSERT_TRUE(writer.ok());
  writer->set_step(3);
  writer->set_phase(std::string(100, 'p'));
  writer->set_note(std::string(100, 'n'));
  EXPECT_EQ(read_status(file_).step, 3);
  EXPECT_EQ(read_status(file_).phase, std::string(47, 'p'));
  EXPECT_EQ(read_status(file_).note, std::string(63, 'n'));
}

TEST_F(StatusTest, OutlivesAKilledWriter) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    auto writer = StatusWriter::open(file_);
    if (!writer) _exit(1);
    writer->set_step(7);
    writer->set_phase("forward");
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
  EXPECT_EQ(read_status(file_).step, 7);
  EXPECT_EQ(read_status(file_).phase, "forward");
}

TEST_F(StatusTest, AFolderThatIsNotThereIsAnError) {
  const auto writer = StatusWriter::open(folder_ / "none" / "status.0");
  ASSERT_FALSE(writer.ok());
  EXPECT_EQ(writer.error().code, ErrorCode::kIo);
}

}  // namespace
}  // namespace sweepd
