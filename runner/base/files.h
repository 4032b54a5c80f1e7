// Reads and replaces files that users or other programs name or create: a path on a command line, a
// file of an attempt's folder, a folder of another machine's runs.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "runner/base/result.h"
#include "runner/base/unique_fd.h"

namespace sweepd {

enum class Links { kFollow, kRefuse };  // if the last part of the path is a symbolic link

// Returns the kind of a file with this st_mode: "a folder", "a FIFO", "a socket" ...
std::string kind_of_file(unsigned mode);

// Whether the name is of a file below the folder that it is relative to, by its text: no root, no
// `..`.
bool leads_below(const std::filesystem::path& name);

// Opens a regular file to read. Never blocks, as `open` does on a FIFO without a writer.
// Errors name the file: kNotFound if it does not exist, kInvalidArgument if it is not a regular
// file, else kIo.
Result<UniqueFd> open_regular(const std::filesystem::path& file, Links links);

// Reads an open file from here to its end, at most `most_bytes`. kIo if it cannot be read.
Result<std::string> read_all(int fd, std::int64_t most_bytes = INT64_MAX);

// Does both, one after the other.
Result<std::string> read_regular(const std::filesystem::path& file, Links links,
                                 std::int64_t most_bytes = INT64_MAX);

// Writes all of a text to an open file. The error kIo names it as `shown`.
Result<void> write_all(int fd, std::string_view text, const std::filesystem::path& shown);

// Identifies a file. Equal results mean that the file was neither replaced nor changed; "" without
// it.
std::string identity_of(const std::filesystem::path& file);

// Replaces a file at once: readers see the old text or the new one, also after a crash in between.
// Errors name the file: kIo.
Result<void> replace_file(const std::filesystem::path& file, std::string_view text);

// Has the kernel write a file, or the names in a folder, to the disk. The error kIo names it.
Result<void> force_to_disk(const std::filesystem::path& path);

// Copies a folder's regular files and folders and nothing else: a link may name anything on this
// machine, and a FIFO or device cannot be copied. `to` must not exist. Copies have mode 0700 and
// 0600. Symbolic links, FIFOs and the like are skipped and counted in `left_out`. Error kIo names
// the file; `to` is then incomplete.
Result<void> copy_tree(const std::filesystem::path& from, const std::filesystem::path& to,
                       std::int64_t& left_out);

// Identifies a file independently of its name, to notice that a path now leads to another file.
struct FileId {
  dev_t device = 0;
  ino_t inode = 0;
  friend bool operator==(const FileId&, const FileId&) = default;
};

inline std::optional<FileId> file_id(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return std::nullopt;
  return FileId{info.st_dev, info.st_ino};
}

inline std::optional<FileId> file_id(int fd) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) return std::nullopt;
  return FileId{info.st_dev, info.st_ino};
}

}  // namespace sweepd
