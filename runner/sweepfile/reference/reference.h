// Turns a file of published figures, and the file that says what its columns are, into rows that
// tables can show (schemas/reference.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runner/model/sweep/reference.h"
#include "runner/sweepfile/sweep/sweepfile.h"

namespace sweepd {

struct ReferenceFiles {
  std::string_view rows, rows_file;        // CSV, and its name for messages
  std::string_view mapping, mapping_file;  // YAML; "" if the columns have the names of fields
};

struct ParsedReference {
  PublishedFigures reference;      // empty if there are errors
  std::vector<Diagnostic> errors;  // in either file; the first 100
};

// Units are not converted yet: `unit` is the file's. Never throws.
ParsedReference parse_reference(const ReferenceFiles& files, const Catalog& catalog);

}  // namespace sweepd
