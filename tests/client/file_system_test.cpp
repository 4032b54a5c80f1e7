// Tests that `doctor` recognizes network file systems. The numbers are those of the kernel's
// header.
#include "runner/client/doctor/file_system.h"

#include <gtest/gtest.h>
#include <linux/magic.h>

namespace sweepd {
namespace {

TEST(FileSystem, OfANetworkIsKnown) {
  for (const std::int64_t magic :
       {NFS_SUPER_MAGIC, SMB_SUPER_MAGIC, CEPH_SUPER_MAGIC, AFS_SUPER_MAGIC, V9FS_MAGIC}) {
    EXPECT_TRUE(file_system_of(magic).network) << std::hex << magic;
  }
  EXPECT_EQ(file_system_of(NFS_SUPER_MAGIC).name, "nfs");
}

TEST(FileSystem, OfThisMachineIsNoNetwork) {
  EXPECT_EQ(file_system_of(EXT4_SUPER_MAGIC).name, "ext4");
  EXPECT_FALSE(file_system_of(EXT4_SUPER_MAGIC).network);
  EXPECT_EQ(file_system_of(TMPFS_MAGIC).name, "tmpfs");
  EXPECT_EQ(file_system_of(BTRFS_SUPER_MAGIC).name, "btrfs");
  EXPECT_EQ(file_system_of(17).name, "");
}

// f_type is 32 bits on some machines, where such a number is negative.
TEST(FileSystem, ANumberWithASignIsKnownToo) {
  EXPECT_EQ(file_system_of(static_cast<std::int32_t>(CIFS_SUPER_MAGIC)).name, "cifs");
  EXPECT_EQ(file_system_of(static_cast<std::int32_t>(SMB2_SUPER_MAGIC)).name, "smb2");
}

}  // namespace
}  // namespace sweepd
