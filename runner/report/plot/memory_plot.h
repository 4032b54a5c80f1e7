// Pictures of a memory timeline: for a terminal, and for tools that draw Vega-Lite.
#pragma once

#include <cstddef>
#include <string>

#include "runner/model/measurement/memory_picture.h"

namespace sweepd {

// Draws in `width` columns (0: 80) of braille and box characters: the axis of bytes, the area of
// live bytes, the phases below it and the axis of time. The heading names the peak. Returns "" for
// an empty timeline.
std::string memory_to_text(const MemoryPicture& picture, std::size_t width);

// A whole Vega-Lite 5 specification with its data: live bytes over time, stacked by kind, and the
// allocator's reserved bytes if they differ, with the phases named and the peak marked. Returns ""
// for an empty timeline.
std::string memory_to_vega_lite(const MemoryPicture& picture);
// The same as an SVG, a part of a page as that of to_svg (plot.h).
std::string memory_to_svg(const MemoryPicture& picture);

}  // namespace sweepd
