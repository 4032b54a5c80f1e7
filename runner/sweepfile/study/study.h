// Turns a study's text (schemas/study.md) into the study at one of its scales.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/model/sweep/study.h"
#include "runner/sweepfile/sweep/sweepfile.h"

namespace sweepd {

// What a study has to know of a sweep file with its overrides.
struct StudySweeps {
  std::vector<Sweep> sweeps;       // empty if there is a mistake
  std::vector<std::string> unfit;  // as in Parsed
  std::string mistake;             // of the file, or of an override; "" for none
};
// Returns nothing for a file that was not read yet.
using ReadSweeps = std::function<std::optional<StudySweeps>(const std::string& file,
                                                            const std::vector<Override>& set)>;

struct ParsedStudy {
  Study study;  // empty if there are errors
  std::vector<Diagnostic> errors;
  std::vector<std::string> files;  // of sweeps at this scale, each once, in order
};

// `scale` "" is the file's first. Sweep files, and what the study says about them (overrides,
// titles of tables, names in figures), are checked as far as `read` has them. Limits are those of a
// sweep file. Never throws.
ParsedStudy parse_study(std::string_view text, std::string_view file, const std::string& scale,
                        const Catalog& catalog, const ReadSweeps& read);

}  // namespace sweepd
