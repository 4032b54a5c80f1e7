// The tags in a study's prose:
//
//   {{ value NAME }}                      a text that the scale gives
//   {{ figure KEY=TEXT KEY="TEXT" ... }}  a figure from the results of a sweep
//
// Keys of a figure: sweep and cell (required), metric, unit, baseline.NAME; any other key is a
// filter. `$NAME` as a text is the scale's value of that name.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runner/model/study.h"
#include "runner/sweepfile/reporter.h"

namespace sweepd::sweepfile {

using ScaleValues = std::map<std::string, std::string>;

// Reads the prose of a scalar. Mistakes are reported at their tag.
std::vector<StudyPiece> read_prose(const SourceText& source, Reporter& report, const Node& node,
                                   const ScaleValues& values);

// Reports names and values in a figure that its sweep cannot have. `sweeps` are those of the study.
void check_figure(Reporter& report, const Catalog& catalog, const std::vector<Sweep>& sweeps,
                  const StudyFigure& figure);

}  // namespace sweepd::sweepfile
