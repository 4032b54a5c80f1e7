#include "runner/trace/memory_frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "runner/base/printable.h"

namespace sweepd::trace {
namespace {

bool contains_any(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::ranges::any_of(
      parts, [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

}  // namespace

FrameRank rank_of_frame(std::string_view file, std::string_view function) {
  if (file.ends_with(".py") || file.starts_with('<')) {
    const bool of_torch = contains_any(file, {"-packages/torch/", "/pytorch/torch/"}) ||
                          file.starts_with("<frozen") || file.starts_with("<eval_with_key>");
    return of_torch ? FrameRank::kTorch : FrameRank::kOwn;
  }
  const bool recording =
      contains_any(function, {"unwind::", "CapturedTraceback", "gather_with_cpp",
                              "CUDACachingAllocator", "PyEval_", "PyObject_", "_start"});
  return recording ? FrameRank::kRecording : FrameRank::kNative;
}

std::string name_of_frame(std::string_view file, std::int64_t line, std::string_view function) {
  return printable(fmt::format("{}:{}:{}", file.substr(file.rfind('/') + 1), line, function));
}

}  // namespace sweepd::trace
