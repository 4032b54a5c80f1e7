// The mapping of a reference: which column is what, and rules for rows.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "runner/sweepfile/yaml/reporter.h"

namespace sweepd::sweepfile {

// For the rows whose columns have these values. A pattern may end with `*`.
struct ReferenceRule {
  std::vector<std::pair<std::string, std::vector<std::string>>> when;
  std::vector<std::pair<std::string, std::string>> set;   // fields and parameters
  std::vector<std::pair<std::string, std::string>> copy;  // the same, each to its column
  double divide = 1;
  std::string doubt, remark;
  bool invalid = false;
  Mark mark;
};

struct ReferenceMapping {
  std::string name, description;
  std::map<std::string, std::string> columns;  // field or parameter -> column
  std::vector<ReferenceRule> rules;            // all that match apply, in order
};

// `columns` are those of the file.
ReferenceMapping read_mapping(Reporter& report, const Node& root,
                              const std::vector<std::string>& columns);

// Fields of a row that are no parameters.
const std::vector<std::string>& reference_fields();

}  // namespace sweepd::sweepfile
