// Pictures of a memory timeline: for a terminal, and as an SVG file.
#pragma once

#include <cstddef>
#include <string>

#include "runner/model/memory_picture.h"

namespace sweepd {

// `width` columns (0: 80) of braille and box characters: the axis of bytes, the area of live bytes,
// the phases below it and the axis of time; the peak in the heading. "" of an empty timeline.
std::string memory_to_text(const MemoryPicture& picture, std::size_t width);

// A whole SVG file, self-contained: live and (where it differs) reserved bytes over time, phases
// shaded and named, the peak marked, what was held when the step began as bands.
std::string memory_to_svg(const MemoryPicture& picture);

}  // namespace sweepd
