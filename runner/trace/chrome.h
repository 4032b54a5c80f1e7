// Reads a Chrome trace (Trace Event Format, JSON) of torch.profiler: of PyTorch with CUDA, ROCm or
// only a CPU, as Kineto writes it.
//
// The file is read in pieces and never held: memory is that of the timeline, up to
// 64 bytes for each record that is kept, and a few MiB. Of the categories,
//   kernel, gpu_memcpy, gpu_memset       are work of a device
//   cuda_runtime, cuda_driver            are calls; ROCm's have these categories too
//   overhead                             are calls named "[overhead] ..." of kind kOther
//   cpu_op                               are operators
//   user_annotation                      are ranges
// and all others are skipped (python_function, flows, gpu_user_annotation, which repeats ranges).
// The names of copies and fills become those of timeline.h. Characters that terminals interpret are
// replaced in all names, and names are cut at 16 KiB. Not thread-safe; blocks on the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "runner/base/result.h"
#include "runner/trace/timeline.h"

namespace sweepd::trace {

// What a file from a stranger may cost.
struct ChromeLimits {
  std::int64_t records = 20'000'000;                 // that are kept
  std::int64_t text_bytes = 64 << 20;                // of different names
  std::int64_t file_bytes = std::int64_t{16} << 30;  // not compressed
};

struct ChromeTrace {
  Timeline timeline;
  std::int64_t bytes = 0;      // of the text, not compressed
  std::int64_t events = 0;     // all, also those that were skipped
  std::int64_t unusable = 0;   // of a category above, but without what it needs; left out
  std::string first_unusable;  // "event 3 at byte 812: `dur` is `-5`; expected ..."; "" if none
};

// Reads a file, plain or compressed with gzip, whatever its name. Errors name the file, and the
// byte and event where reading ended: those of open_regular; kIo if it cannot be read;
// kInvalidArgument if it is truncated, not JSON, has no event that can be used, or nests deeper
// than 100 levels; kResourceExhausted beyond a limit.
Result<ChromeTrace> read_chrome_trace(const std::filesystem::path& file,
                                      const ChromeLimits& limits = {});

// The same from pieces of text. `next` returns "" at the end. Errors call the text `shown`.
using NextPiece = std::function<Result<std::string>()>;
Result<ChromeTrace> parse_chrome_trace(const NextPiece& next, std::string_view shown,
                                       const ChromeLimits& limits = {});

}  // namespace sweepd::trace
