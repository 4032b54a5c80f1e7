// Reads the SQLite export of Nsight Systems (`nsys export --type sqlite REPORT.nsys-rep`). Tables
// and columns that a version of nsys does not have are absent values, from the schema of 2019 on.
#pragma once

#include <filesystem>
#include <vector>

#include "runner/base/result.h"
#include "runner/trace/timeline.h"

namespace sweepd::trace {

// Returns one timeline for each process that used a device; without any such process, one for each
// with calls or ranges. Ranks are in the order of the devices, then of the process ids. In exports
// from before 2021 records of devices name no process: such a file is one timeline.
// A graph that was recorded as a whole is one kernel `[CUDA graph]`. A range that was never closed
// ends with the process's last record. Names are printable (runner/base/printable.h).
//
// The file may come from a stranger. Errors name it: those of open_regular; kInvalidArgument if it
// is no sound export, with what was expected and found; kResourceExhausted beyond 50 million
// records, 256 MiB of names or ten minutes.
Result<std::vector<Timeline>> read_nsys(const std::filesystem::path& file);

}  // namespace sweepd::trace
