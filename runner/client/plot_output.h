// Writes finished plots: as text, as Vega-Lite specifications, or as pictures.
#pragma once

#include <string>
#include <vector>

#include "runner/client/client.h"
#include "runner/model/plot.h"

namespace sweepd {

// `format` is text, vega, svg or png; "" is what the file's name ends in, else text. `file` is "-"
// for standard output, or a folder, which is made and has a file for each plot. Warnings about the
// figures go to stderr. Without what draws pictures the specifications are written in their place,
// and kNoPicture is returned.
Exit write_plots(const std::vector<Plot>& plots, std::string format, const std::string& file);

}  // namespace sweepd
