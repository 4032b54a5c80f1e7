// A job's folder that cannot be read, as on a network file system that went away.
#include "runner/exec/pilot/job_folder.h"

#include "tests/exec/scratch.h"

namespace sweepd {
namespace {

using JobFolderTest = Scratch;

TEST_F(JobFolderTest, AFolderThatCannotBeReadHasNothingAndThrowsNothing) {
  std::filesystem::create_symlink("loop", root_ / "loop");
  write("file", "text");
  for (const std::filesystem::path path : {"none", "file", "file/below", "loop"}) {
    const JobFolder folder(root_ / path);
    EXPECT_FALSE(folder.has_ended()) << path;
    EXPECT_TRUE(folder.files_of(1).began.empty()) << path;
    EXPECT_FALSE(folder.record()) << path;
    EXPECT_FALSE(folder.began()) << path;
    EXPECT_EQ(folder.report().state, "") << path;
    EXPECT_EQ(folder.last_order(), GivenOrder{}) << path;
    EXPECT_FALSE(folder.order("1 end")) << path;
    EXPECT_EQ(last_line_of(folder.output()), "") << path;
  }
}

}  // namespace
}  // namespace sweepd
