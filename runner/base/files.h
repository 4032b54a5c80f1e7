// Reading files that somebody else named or may have put there: a path on a command line, a file of
// an attempt's folder, a folder of another machine's runs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "runner/base/result.h"
#include "runner/base/unique_fd.h"

namespace sweepd {

enum class Links { kFollow, kRefuse };  // where the last part of the path is a symbolic link

// "a folder", "a FIFO", "a socket" ...: what a file of this st_mode is.
std::string kind_of_file(unsigned mode);

// Opens a regular file to read. Never waits, as `open` does on a FIFO that nobody writes to. Errors
// name the file: kNotFound when it is not there, kInvalidArgument when it is no regular file, else
// kIo.
Result<UniqueFd> open_regular(const std::filesystem::path& file, Links links);

// All that an open file holds from here on, at most `most_bytes` of it; kIo when it cannot be read.
Result<std::string> read_all(int fd, std::int64_t most_bytes = INT64_MAX);

// The two after each other.
Result<std::string> read_regular(const std::filesystem::path& file, Links links,
                                 std::int64_t most_bytes = INT64_MAX);

// Copies a folder's regular files and folders, and nothing else: what a link names may be anywhere
// on this machine, and a FIFO or device cannot be copied. `to` must not exist; what is made has
// mode 0700 and 0600. Symbolic links, FIFOs and the like are left out and counted in `left_out`.
// Error kIo names the file; `to` is then incomplete.
Result<void> copy_tree(const std::filesystem::path& from, const std::filesystem::path& to,
                       std::int64_t& left_out);

}  // namespace sweepd
