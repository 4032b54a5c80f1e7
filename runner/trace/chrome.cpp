#include "runner/trace/chrome.h"

#include "runner/base/gzip_file.h"

namespace sweepd::trace {

Result<ChromeTrace> read_chrome_trace(const std::filesystem::path& file,
                                      const ChromeLimits& limits) {
  constexpr std::int64_t kPieceBytes = 1 << 20;
  auto opened = GzipFile::open_by_content(file, Links::kFollow);
  if (!opened) return opened.error();
  return parse_chrome_trace([&] { return opened->read(kPieceBytes); }, file.string(), limits);
}

}  // namespace sweepd::trace
