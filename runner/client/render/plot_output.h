// Writes plots and other drawings: as text, as Vega-Lite specifications, or as pictures.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runner/client/session/client.h"
#include "runner/model/sweep/plot.h"

namespace sweepd {

// Makes a drawing in one of its forms. `svg` is a part of a page (to_svg). A PNG is made from the
// second.
struct Drawing {
  std::function<std::string()> text, vega_lite, svg;
};

// Writes one drawing. `format` and `file` are as below, but no folder.
Exit write_drawing(const Drawing& drawing, std::string format, const std::string& file);

// `format` is text, vega, svg or png; "" takes the file's ending, else text. `file` is "-"
// for standard output, or a folder, which is made and has a file for each plot. Warnings about the
// figures go to stderr. If the program for PNG is missing, writes the specifications instead and
// returns kNoPicture.
Exit write_plots(const std::vector<Plot>& plots, std::string format, const std::string& file);

// "Step time (ms) by size" -> "step-time-ms-by-size"; "" if nothing of it can be in a file's name.
// A long title is cut, and its hash keeps it apart from others.
std::string file_name_of(const std::string& title);

// The warnings about the figures.
std::vector<std::string> warnings_of(const Plot& plot);

}  // namespace sweepd
