// Pictures of a memory timeline: for a terminal, and as an SVG file.
#pragma once

#include <cstddef>
#include <string>

#include "runner/model/memory_picture.h"

namespace sweepd {

// Draws in `width` columns (0: 80) of braille and box characters: the axis of bytes, the area of
// live bytes, the phases below it and the axis of time. The heading names the peak. Returns "" for
// an empty timeline.
std::string memory_to_text(const MemoryPicture& picture, std::size_t width);

// Returns a whole, self-contained SVG file: live and (where it differs) reserved bytes over time,
// phases shaded and named, the peak marked, and what was held when the step began as bands.
std::string memory_to_svg(const MemoryPicture& picture);

}  // namespace sweepd
