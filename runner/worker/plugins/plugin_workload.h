// The workload `plugin`, which every worker has: it stands for the workloads of libraries that
// sweep files name, as `command` does for programs (runner/model/vocabulary/plugin.h).
#pragma once

#include <string>
#include <string_view>

#include "runner/base/result.h"
#include "runner/worker/journal/measured.h"
#include "workloads/api/workload.h"

namespace sweepd {

WorkloadEntry plugin_entry();

struct LoadedEntry {
  const WorkloadEntry* entry = nullptr;
  bool plain = false;  // of a plugin without LibTorch
};

// Returns the entry that measures a trial with these values: that of its library, which is loaded
// now, if its workload is a plugin's, else its own. Errors name the file.
Result<LoadedEntry> loaded_entry(const Measured& measured, const NamedValues& values);

// `sweep-worker --plugin`: answers one line of JSON about a plugin's file with one line.
//
//   in   {"ask":"keep","file":"/x/saxpy.so","shown":"./saxpy.so"}
//   out  {"library":"...","code":"saxpy.so:0123456789ab"}
//   in   {"ask":"describe","file":"<library>","shown":"./saxpy.so"}
//   out  {"workloads":[...]}, as --describe has them
//   out  {"error":"..."} to both
//
// Keeping runs no code of the plugin. Describing runs its constructors, so the process may die or
// hang.
std::string plugin_line(std::string_view question);

}  // namespace sweepd
