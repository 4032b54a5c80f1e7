// Identifies a folder's file system by statfs(2). Pure.
#pragma once

#include <cstdint>
#include <string_view>

namespace sweepd {

struct FileSystem {
  std::string_view name;  // "ext4", "nfs"; "" if it is not known
  bool network = false;   // other machines write to it too
};

// `type` is statfs::f_type, which is signed and has magic numbers of 32 bits.
FileSystem file_system_of(std::int64_t type);

}  // namespace sweepd
