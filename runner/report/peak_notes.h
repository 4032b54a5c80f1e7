// Why shares of a device's peaks are missing.
#pragma once

#include <string>
#include <vector>

#include "runner/report/table_value.h"

namespace sweepd::report {

// Returns "no MFU, roofline floor in 4 cells: the device's peak in fp32 is unknown: ...".
std::vector<std::string> peak_notes(const std::vector<TableValue>& table_values,
                                    const std::vector<Key>& rows);

}  // namespace sweepd::report
