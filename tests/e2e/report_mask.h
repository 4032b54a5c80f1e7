// Removes the parts of a report that vary between runs and machines, so that a golden file can have
// the rest to the digit.
//
// Whether a column varies follows from its values. A time varies, and so does every rate and share
// made of times. A figure by formula, a count of bytes or calls, a loss and a type do not. So
// headings, row headers, words such as OOM, marks and notes are kept, and numbers become # only in
// the cells of columns that vary.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runner/model/sweep/sweep.h"

namespace sweepd::e2e {

struct Placeholder {
  std::string text, instead;
};

// Returns whether this value shows the same in every run. `value` is one of complete_values(). An
// unknown metric counts as the same, so a failing test warns the author of a new metric of times.
bool repeats(std::string_view workload, const TableSpec::Value& value);

// `report` is the markdown of `sweepctl report` for `sweep`. `names` (of hosts, devices and
// folders) are replaced by their placeholders, and padding is removed. If a table is sorted by
// something that varies, its rows are sorted by their texts; if it also has a limit, they are all
// #.
std::string mask(const std::string& report, const Sweep& sweep,
                 const std::vector<Placeholder>& names);

// "-1,234.5e+03" -> "#". Digits within a word (bf16) are kept.
std::string mask_numbers(const std::string& line);

// An SQL condition on attempt_reason.reason: reasons for a verdict that lie in the machine and its
// other users, not in the measurement.
std::string is_disturbance_sql();

}  // namespace sweepd::e2e
