// Reads the stored output of an attempt that has ended again, because the patterns or the map that
// find figures in it changed (kReadingParams, model/vocabulary/program.h). Asked by `--work`
// (print_work.h):
//
//   in   {"ask":"reread","folder":"/.../runs/ab12","params":{"patterns":"loss = loss ([0-9.]+)"}}
//   out  {"reread":true}, or false: the folder already has these; or {"error":"..."}
//
// The journals of all ranks get the new figures in place of those that the old parameters found,
// and keep their other events. request.json gets the new parameters, so that a database that is
// rebuilt has the same figures.
#pragma once

#include <filesystem>
#include <vector>

#include "runner/base/result.h"
#include "runner/wire/event.h"
#include "runner/worker/journal/measured.h"
#include "workloads/api/workload.h"

namespace sweepd {

// `changed` are the parameters that are not as in the folder's request. Returns whether any
// differs. Writes nothing if there is an error: the output is not stored whole, or cannot be read
// with these parameters.
Result<bool> reread(const Registry& registry, const std::filesystem::path& folder,
                    const NamedTexts& changed);

// The journal's events with the figures of `now` in place of those of `before`.
std::vector<Event> with_reading(std::vector<Event> events, const Reading& before,
                                const Reading& now);

}  // namespace sweepd
