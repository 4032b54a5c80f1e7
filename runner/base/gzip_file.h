// Reads a file that may have been compressed since it was written, and compresses one. The files of
// old attempts are (runner/daemon/attempts/compact_folder.h): `events.0.ndjson` is then
// `events.0.ndjson.gz`, which gzip reads too. Readers name such a file without `.gz`.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "runner/base/files.h"
#include "runner/base/result.h"
#include "runner/base/unique_fd.h"

struct gzFile_s;

namespace sweepd {

// `file` with `.gz` after it.
std::filesystem::path compressed(const std::filesystem::path& file);

// Returns `file`, or its compressed form if only that exists.
std::filesystem::path plain_or_gzip(const std::filesystem::path& file);

class GzipFile {
 public:
  // Opens the file, or its compressed form if only that exists. If both do, the compressor was
  // killed before it removed the original, and both are complete. Errors as of open_regular;
  // kInvalidArgument also if a `.gz` file is not gzip's.
  static Result<GzipFile> open(const std::filesystem::path& file, Links links);

  // Opens a file that gzip may have written under any name, which its first bytes say.
  static Result<GzipFile> open_by_content(const std::filesystem::path& file, Links links);

  bool is_compressed() const { return compressed_ != nullptr; }

  // Returns the next bytes, at most `most_bytes`; fewer only before the end, "" at the end. kIo if
  // it cannot be read, or if the compressed form ends early or is damaged. All that can be read was
  // returned before that error.
  Result<std::string> read(std::int64_t most_bytes);

  // Reads an open file that is compressed. Errors as of `open`, with this name.
  static Result<GzipFile> open_compressed(UniqueFd fd, std::filesystem::path shown);

  struct Tail {
    std::string text;
    std::int64_t skipped_bytes = 0;  // before the text
  };
  // Returns the last bytes, at most `most_bytes`. A compressed file is read whole for that, in
  // pieces, up to `most_read` bytes; beyond that kResourceExhausted. Call it once, before any
  // `read`.
  Result<Tail> read_tail(std::int64_t most_bytes, std::int64_t most_read = std::int64_t{1} << 30);

 private:
  struct Close {
    void operator()(gzFile_s* file) const;
  };
  GzipFile(UniqueFd plain, std::filesystem::path path)
      : plain_(std::move(plain)), path_(std::move(path)) {}

  UniqueFd plain_;  // not open if the file is compressed
  std::unique_ptr<gzFile_s, Close> compressed_;
  std::filesystem::path path_;  // for errors
};

enum class Compression { kDone, kStopped };

// Replaces a file by its compressed form. A crash at any moment leaves the whole content on the
// disk as one of the two: the compressed form is written beside the file, read again, forced to
// the disk and named before the file is removed. Returns kStopped, with the file as it was, soon
// after another thread has set `stop`. Errors also leave the file as it was and name it: those of
// open_regular, or kIo. The next call overwrites an unfinished file (`.gz.new`).
Result<Compression> compress_file(const std::filesystem::path& file, const std::atomic<bool>& stop);

}  // namespace sweepd
