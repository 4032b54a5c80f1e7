#include "runner/base/gzip_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <optional>
#include <string_view>

#include "runner/base/units.h"

namespace sweepd {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kPieceBytes = 1 << 20;
constexpr unsigned kBufferBytes = 128 << 10;
constexpr int kGzip = 15 + 16;  // zlib's largest window, and gzip's header and checksum

Error failed(const fs::path& file, const char* action, int code) {
  return {ErrorCode::kIo,
          fmt::format("cannot {} `{}`: {}", action, file.string(), std::strerror(code))};
}

// Compresses data into an open file.
class Compressor {
 public:
  Compressor(int fd, const fs::path& shown) : fd_(fd), shown_(shown) {
    deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY);
  }
  ~Compressor() { ::deflateEnd(&stream_); }
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;

  Result<void> add(std::string_view text) { return feed(text, Z_NO_FLUSH); }
  Result<void> end() { return feed("", Z_FINISH); }

 private:
  Result<void> feed(std::string_view text, int flush) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream_.avail_in = static_cast<uInt>(text.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(out_.data());
      stream_.avail_out = static_cast<uInt>(out_.size());
      if (::deflate(&stream_, flush) == Z_STREAM_ERROR) {  // deflateInit2 had no memory
        return Error{ErrorCode::kIo, fmt::format("cannot compress `{}`", shown_.string())};
      }
      const std::string_view ready(out_.data(), out_.size() - stream_.avail_out);
      if (auto written = write_all(fd_, ready, shown_); !written) {
        return Error{ErrorCode::kIo, written.error().message};
      }
    } while (stream_.avail_out == 0);
    return {};
  }

  int fd_;
  const fs::path& shown_;
  z_stream stream_{};
  std::array<char, kBufferBytes> out_{};
};

// Returns how many bytes the file has, uncompressed; nothing if it was stopped.
Result<std::optional<std::int64_t>> write_compressed(const fs::path& file, int to,
                                                     const fs::path& shown,
                                                     const std::atomic<bool>& stop) {
  const auto from = open_regular(file, Links::kRefuse);
  if (!from) return from.error();
  Compressor compressor(to, shown);
  std::int64_t bytes = 0;
  while (!stop) {
    const auto piece = read_all(from->get(), kPieceBytes);
    if (!piece) return Error{ErrorCode::kIo, file.string() + ": " + piece.error().message};
    bytes += static_cast<std::int64_t>(piece->size());
    const auto fed = piece->empty() ? compressor.end() : compressor.add(*piece);
    if (!fed) return fed.error();
    if (piece->empty()) return std::optional(bytes);
  }
  return std::optional<std::int64_t>();
}

// Reads the written file again. zlib compares its checksum with that of the original.
Result<Compression> check_compressed(GzipFile written, std::int64_t bytes, const fs::path& shown,
                                     const std::atomic<bool>& stop) {
  std::int64_t found = 0;
  while (!stop) {
    const auto piece = written.read(kPieceBytes);
    if (!piece) return piece.error();
    found += static_cast<std::int64_t>(piece->size());
    if (!piece->empty()) continue;
    if (found == bytes) return Compression::kDone;
    return Error{ErrorCode::kIo,
                 fmt::format("`{}` has {} bytes after it was compressed, and had {}",
                             shown.string(), found, bytes)};
  }
  return Compression::kStopped;
}

// Writes the compressed form and forces it to the disk. Nothing if it was stopped.
Result<std::optional<std::int64_t>> write_fresh(const fs::path& file, const fs::path& fresh,
                                                const std::atomic<bool>& stop) {
  struct stat original {};
  if (::lstat(file.c_str(), &original) != 0) return failed(file, "read", errno);
  // A FIFO or a link with this name is not opened, but removed.
  std::error_code none;
  fs::remove(fresh, none);
  const UniqueFd fd(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                           original.st_mode & 0777));
  if (!fd) return failed(fresh, "create", errno);
  auto bytes = write_compressed(file, fd.get(), fresh, stop);
  if (!bytes || !*bytes) return bytes;
  if (::fsync(fd.get()) != 0) return failed(fresh, "write", errno);
  return bytes;
}

}  // namespace

fs::path compressed(const fs::path& file) {
  return file.string() + ".gz";
}

fs::path plain_or_gzip(const fs::path& file) {
  std::error_code none;
  const fs::path other = compressed(file);
  return !fs::exists(file, none) && fs::exists(other, none) ? other : file;
}

void GzipFile::Close::operator()(gzFile_s* file) const {
  ::gzclose_r(file);
}

Result<GzipFile> GzipFile::open_compressed(UniqueFd fd, fs::path path) {
  GzipFile opened(UniqueFd(), std::move(path));
  opened.compressed_.reset(::gzdopen(fd.get(), "rb"));
  if (!opened.compressed_) return failed(opened.path_, "read", ENOMEM);
  fd.release();  // it is zlib's now
  ::gzbuffer(opened.compressed_.get(), kBufferBytes);
  // zlib would hand out any other file as it is.
  if (::gzdirect(opened.compressed_.get()) == 0) return opened;
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("`{}` is not compressed with gzip", opened.path_.string())};
}

Result<GzipFile> GzipFile::open(const fs::path& file, Links links) {
  auto plain = open_regular(file, links);
  if (plain) return GzipFile(std::move(*plain), file);
  if (plain.error().code != ErrorCode::kNotFound) return plain.error();
  // A compressor names the new file before it removes the old one.
  auto other = open_regular(compressed(file), links);
  if (other) return open_compressed(std::move(*other), compressed(file));
  return other.error().code == ErrorCode::kNotFound ? plain.error() : other.error();
}

Result<GzipFile> GzipFile::open_by_content(const fs::path& file, Links links) {
  auto fd = open_regular(file, links);
  if (!fd) return fd.error();
  constexpr std::string_view kMagic = "\x1f\x8b";
  std::array<char, kMagic.size()> head{};
  const bool is_gzip = ::pread(fd->get(), head.data(), head.size(), 0) == std::ssize(head) &&
                       std::string_view(head.data(), head.size()) == kMagic;
  if (is_gzip) return open_compressed(std::move(*fd), file);
  return GzipFile(std::move(*fd), file);
}

Result<std::string> GzipFile::read(std::int64_t most_bytes) {
  if (!compressed_) {
    auto text = read_all(plain_.get(), most_bytes);
    if (text) return text;
    return Error{ErrorCode::kIo, "cannot read `" + path_.string() + "`: " + text.error().message};
  }
  std::string text;
  while (static_cast<std::int64_t>(text.size()) < most_bytes) {
    const std::size_t had = text.size();
    const std::int64_t left = most_bytes - static_cast<std::int64_t>(had);
    text.resize(had + static_cast<std::size_t>(std::min(left, kPieceBytes)));
    const int n =
        ::gzread(compressed_.get(), text.data() + had, static_cast<unsigned>(text.size() - had));
    text.resize(had + static_cast<std::size_t>(std::max(n, 0)));
    if (n <= 0) break;
  }
  int code = Z_OK;
  std::string_view words = ::gzerror(compressed_.get(), &code);
  if (!text.empty() || code == Z_OK) return text;  // the next call reports the error
  if (words.starts_with("<fd:")) words.remove_prefix(std::min(words.find(' ') + 1, words.size()));
  return Error{ErrorCode::kIo, fmt::format("cannot read `{}`: {}", path_.string(), words)};
}

Result<GzipFile::Tail> GzipFile::read_tail(std::int64_t most_bytes, std::int64_t most_read) {
  if (!compressed_) {
    const std::int64_t size = ::lseek(plain_.get(), 0, SEEK_END);
    const std::int64_t start =
        ::lseek(plain_.get(), std::max<std::int64_t>(0, size - most_bytes), SEEK_SET);
    auto text = read(most_bytes);
    if (!text) return text.error();
    return Tail{std::move(*text), start};
  }
  Tail tail;
  while (true) {
    const auto piece = read(kPieceBytes);
    if (!piece) return piece.error();
    if (piece->empty()) return tail;
    tail.text += *piece;
    if (tail.skipped_bytes + std::ssize(tail.text) > most_read) {
      return Error{ErrorCode::kResourceExhausted,
                   fmt::format("`{}` has more than {} when it is not compressed", path_.string(),
                               to_text(Bytes{most_read}))};
    }
    const std::int64_t beyond = static_cast<std::int64_t>(tail.text.size()) - most_bytes;
    if (beyond <= 0) continue;
    tail.text.erase(0, static_cast<std::size_t>(beyond));
    tail.skipped_bytes += beyond;
  }
}

Result<Compression> compress_file(const fs::path& file, const std::atomic<bool>& stop) {
  const fs::path fresh = compressed(file).string() + ".new";
  const auto give_up = [&fresh](Result<Compression> result) {
    std::error_code none;
    fs::remove(fresh, none);
    return result;
  };
  const auto bytes = write_fresh(file, fresh, stop);
  if (!bytes) return give_up(bytes.error());
  if (!*bytes) return give_up(Compression::kStopped);
  auto fd = open_regular(fresh, Links::kRefuse);
  if (!fd) return give_up(fd.error());
  auto written = GzipFile::open_compressed(std::move(*fd), fresh);
  if (!written) return give_up(written.error());
  const auto same = check_compressed(std::move(*written), **bytes, file, stop);
  if (!same || *same == Compression::kStopped) return give_up(same);
  if (std::rename(fresh.c_str(), compressed(file).c_str()) != 0) {
    return give_up(failed(fresh, "rename", errno));
  }
  // Otherwise a power loss could undo the new name and keep the removal of the old one.
  if (auto named = force_to_disk(file.parent_path()); !named) return named.error();
  if (::unlink(file.c_str()) != 0) return failed(file, "remove", errno);
  return Compression::kDone;
}

}  // namespace sweepd
