// The tags in a study's prose:
//
//   {{ value NAME }}                      a text that the scale gives
//   {{ figure KEY=TEXT KEY="TEXT" ... }}  a figure from the results of a sweep
//   {{ NAME }}                            a figure of the part's `figures`
//   {{ why }}                             why a claim is undecided; in its `unknown` alone
//
// Keys of a figure: sweep and cell (required), metric, unit, baseline.NAME, top and by; any other
// key is a filter. `$NAME` as a text is the scale's value of that name.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runner/model/sweep/study.h"
#include "runner/model/sweep/sweep.h"
#include "runner/sweepfile/yaml/reporter.h"

namespace sweepd::sweepfile {

using ScaleValues = std::map<std::string, std::string>;
using NamedFigures = std::map<std::string, StudyFigure>;

// What tags may name.
struct TagNames {
  const ScaleValues& values;
  const NamedFigures& figures;
  bool why = false;
};

// Reads the prose of a scalar. Mistakes are reported at their tag.
std::vector<StudyPiece> read_prose(const SourceText& source, Reporter& report, const Node& node,
                                   const TagNames& names);

// Reads `KEY=TEXT KEY="TEXT" ...` of a scalar, which `what` names.
struct FigureName {
  const char* what = "figures";
  std::string name;
};
StudyFigure read_figure(const SourceText& source, Reporter& report, const FigureName& name,
                        const Node& node, const ScaleValues& values);

// Reads the filters of what one attempt has: under `timelines` the one behind a memory peak, under
// `explain` the one behind a profiled step.
StudyFigure read_of_attempt(const SourceText& source, Reporter& report, const FigureName& name,
                            const Node& node, const ScaleValues& values);

// Reports names and values in a figure that its sweep cannot have. `sweeps` are those of the study.
void check_figure(Reporter& report, const Catalog& catalog, const std::vector<Sweep>& sweeps,
                  const StudyFigure& figure);

}  // namespace sweepd::sweepfile
