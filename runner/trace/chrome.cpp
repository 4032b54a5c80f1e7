#include "runner/trace/chrome.h"

#include <unistd.h>

#include <array>
#include <utility>

#include "runner/base/files.h"
#include "runner/base/gzip_file.h"

namespace sweepd::trace {
namespace {

constexpr std::int64_t kPieceBytes = 1 << 20;

bool begins_as_gzip(int fd) {
  std::array<unsigned char, 2> magic{};
  return ::pread(fd, magic.data(), magic.size(), 0) == 2 && magic[0] == 0x1f && magic[1] == 0x8b;
}

Result<GzipFile> open_trace(const std::filesystem::path& file) {
  auto fd = open_regular(file, Links::kFollow);
  if (!fd) return fd.error();
  if (begins_as_gzip(fd->get())) return GzipFile::open_compressed(std::move(*fd), file);
  return GzipFile::open(file, Links::kFollow);
}

}  // namespace

Result<ChromeTrace> read_chrome_trace(const std::filesystem::path& file,
                                      const ChromeLimits& limits) {
  auto opened = open_trace(file);
  if (!opened) return opened.error();
  return parse_chrome_trace([&] { return opened->read(kPieceBytes); }, file.string(), limits);
}

}  // namespace sweepd::trace
