// A report without what differs from run to run and from machine to machine, so that the rest can
// be held in a golden file to the digit.
//
// Whether a column varies follows from what its values are of: a time does, and so does every rate
// and share made of times; a figure by formula, a count of bytes or calls, a loss and a type do
// not. So headings, row headers, words such as OOM, marks and notes stand as they are, and numbers
// become # only in the cells of columns that vary.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runner/model/sweep.h"

namespace sweepd::e2e {

struct Placeholder {
  std::string text, instead;
};

// Is what this value shows the same in every run? `value` is one of complete_values(). What nothing
// is known of counts as the same: who adds a metric of times learns so from the first test that
// fails.
bool repeats(std::string_view workload, const TableSpec::Value& value);

// `report` is what `sweepctl report` prints in markdown for `sweep`. `names` (of hosts, devices and
// folders) become their placeholders; padding goes. Rows of a table that is sorted by what varies
// come in the order of their texts, and where it also has a limit, they are all #.
std::string mask(const std::string& report, const Sweep& sweep,
                 const std::vector<Placeholder>& names);

// "-1,234.5e+03" -> "#". Digits within a word (bf16) stay.
std::string mask_numbers(const std::string& line);

// Reasons for a verdict that lie in the machine and its other users, not in what was measured.
// As an SQL condition on attempt_reason.reason.
std::string is_disturbance_sql();

}  // namespace sweepd::e2e
