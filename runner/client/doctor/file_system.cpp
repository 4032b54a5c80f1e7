#include "runner/client/doctor/file_system.h"

#include <algorithm>
#include <iterator>

namespace sweepd {
namespace {

struct Known {
  std::uint32_t magic;
  FileSystem file_system;
};
constexpr Known kKnown[] = {
    {0xef53, {"ext4"}},
    {0x58465342, {"xfs"}},
    {0x9123683e, {"btrfs"}},
    {0x01021994, {"tmpfs"}},
    {0x794c7630, {"overlayfs"}},
    {0x6969, {"nfs", true}},
    {0x517b, {"smb", true}},
    {0xff534d42, {"cifs", true}},
    {0xfe534d42, {"smb2", true}},
    {0x0bd00bd0, {"lustre", true}},
    {0x47504653, {"gpfs", true}},
    {0x00c36400, {"ceph", true}},
    {0x5346414f, {"afs", true}},
    {0x01021997, {"9p", true}},
    {0x19830326, {"beegfs", true}},
};

}  // namespace

FileSystem file_system_of(std::int64_t type) {
  const auto* found = std::ranges::find(kKnown, static_cast<std::uint32_t>(type), &Known::magic);
  return found == std::end(kKnown) ? FileSystem{} : found->file_system;
}

}  // namespace sweepd
