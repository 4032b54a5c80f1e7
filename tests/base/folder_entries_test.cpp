#include "runner/base/folder_entries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace sweepd {
namespace {

TEST(FolderEntries, AreTheFilesOrTheReasonWhyNot) {
  std::string name = (std::filesystem::temp_directory_path() / "sweepd-base-XXXXXX").string();
  const std::filesystem::path root = ::mkdtemp(name.data());
  std::ofstream(root / "file") << "text";
  std::filesystem::create_symlink("loop", root / "loop");
  const auto all = entries_of(root);
  ASSERT_TRUE(all);
  EXPECT_THAT(*all, testing::UnorderedElementsAre(root / "file", root / "loop"));
  for (const auto& [path, code] :
       {std::pair("none", ErrorCode::kNotFound), std::pair("file", ErrorCode::kIo),
        std::pair("file/folder", ErrorCode::kIo), std::pair("loop", ErrorCode::kIo)}) {
    const auto read = entries_of(root / path);
    ASSERT_FALSE(read) << path;
    EXPECT_EQ(read.error().code, code) << path;
    EXPECT_THAT(read.error().message, testing::HasSubstr((root / path).string()));
  }
  std::filesystem::remove_all(root);
}

}  // namespace
}  // namespace sweepd
