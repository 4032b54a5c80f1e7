#include "runner/wire/status_mirror.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>

#include "runner/wire/status.h"

namespace sweepd {
namespace {

class StatusMirrorTest : public testing::Test {
 protected:
  StatusMirrorTest() {
    std::string name = (std::filesystem::temp_directory_path() / "sweepd-mirror-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    writer_.emplace(std::move(*StatusWriter::open(page())));
  }
  ~StatusMirrorTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path page() const { return folder_ / "page"; }
  std::filesystem::path copy() const { return folder_ / "status.0"; }
  bool eventually_in(const std::string& phase) const {
    for (int i = 0; i < 2000 && read_status(copy()).phase != phase; ++i) ::usleep(5'000);
    return read_status(copy()).phase == phase;
  }

  std::filesystem::path folder_;
  std::optional<StatusWriter> writer_;
};

TEST_F(StatusMirrorTest, TheCopyFollows) {
  const StatusMirror mirror(page(), copy(), milliseconds(5));
  writer_->set_phase("forward");
  EXPECT_TRUE(eventually_in("forward"));
  writer_->set_step(7);
  writer_->set_phase("backward");
  EXPECT_TRUE(eventually_in("backward"));
  EXPECT_EQ(read_status(copy()).step, 7);
}

TEST_F(StatusMirrorTest, TheLastStateIsCopiedAtTheEnd) {
  {
    const StatusMirror mirror(page(), copy(), seconds(1000));
    EXPECT_TRUE(eventually_in(""));
    writer_->set_phase("facts");
  }
  EXPECT_EQ(read_status(copy()).phase, "facts");
}

TEST_F(StatusMirrorTest, AFolderThatIsGoneIsNoReasonToEnd) {
  const StatusMirror mirror(page(), folder_ / "none" / "status.0", milliseconds(1));
  writer_->set_phase("forward");
  ::usleep(20'000);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "none"));
}

}  // namespace
}  // namespace sweepd
