// The frames of a Python or C++ stack at which torch allocated memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sweepd::trace {

// How well a frame says where memory was allocated. The innermost of those with the highest rank is
// shown.
enum class FrameRank : std::uint8_t {
  kRecording,  // the allocator, or the recording of the stack
  kNative,
  kTorch,  // Python of torch
  kOwn,    // other Python: the user's, or a library's
};
FrameRank rank_of_frame(std::string_view file, std::string_view function);

// "train.py:42:forward", as PyTorch's memory viewer names it; printable.
std::string name_of_frame(std::string_view file, std::int64_t line, std::string_view function);

}  // namespace sweepd::trace
