// The remarks on the published figures that a table shows.
#pragma once

#include <string>
#include <vector>

#include "runner/model/result_set.h"

namespace sweepd::report {

// One line for all devices, then one for each remark: "000, 001: a sum of ten steps".
std::vector<std::string> remark_lines(const std::vector<SourceRemark>& remarks);

}  // namespace sweepd::report
