// Turns a sweep file's text into validated sweeps, and these into trials. The only user of
// yaml-cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runner/base/result.h"
#include "runner/model/sweep/sweep.h"
#include "runner/model/vocabulary/plugin.h"
#include "runner/sweepfile/yaml/checks.h"
#include "runner/sweepfile/yaml/diagnostic.h"
#include "runner/sweepfile/yaml/override.h"

namespace sweepd {

struct Parsed {
  std::vector<Sweep> sweeps;       // one per document; empty if there are errors
  std::vector<Diagnostic> errors;  // in file order, then --set; after the first 100 only counted
  std::vector<std::string> unfit;  // names of `where_it_fits` overrides that fit no document
};

// Limits: 1 MiB; 16 levels of maps and lists; aliases may repeat at most 10,000 nodes and 1 MiB of
// text; one million points per sweep, counted after the overrides. Never throws and reads no file
// (`file` is only the name in messages), but `plugins` may.
Parsed parse_sweeps(std::string_view text, std::string_view file, const Catalog& catalog,
                    const std::vector<Override>& overrides, const TableCheck& check = {},
                    const PlotCheck& plot_check = {}, const PluginFinder& plugins = {});

// Replaces `auto`, even as the default, by the kind of device that exists ("cpu", "cuda"), so that
// keys and results name the real device. Call before expand. Does not change a workload without a
// `device` parameter.
void resolve_device(Sweep& sweep, const WorkloadDef& def, std::string_view actual);

struct ExpandedTrial {
  Trial trial;
  TrialKey key;  // equal to key_of(def, trial)
  // The key without the value of a computed parameter, once that was filled in; else empty.
  TrialKey base_key{};
};

inline constexpr std::string_view kAutoDevice = "auto";

// Returns the kind of device in a pool: "cpu" or "cuda".
using DeviceOfPool = std::function<std::string_view(std::string_view pool)>;

// Returns every pool that a point of the sweep may have.
std::set<std::string> pools_of(const Sweep& sweep, const WorkloadDef& def);

struct Expansion {
  // In sweep order, the first axis slowest, then the include points; each key once in each pool.
  // Points that differ only in scheduling parameters are one trial with the largest of each (a
  // timeout of 0 means never and is the largest).
  std::vector<ExpandedTrial> trials;
  std::vector<std::int64_t> excluded;  // by rule: the points that it was the first to remove
  std::int64_t duplicates = 0;         // points with the same trial as another point
};

// Returns the number of points before exclusion, including include points, without expanding;
// INT64_MAX if there are more than that.
std::int64_t count_points(const Sweep& sweep);

// A sweep without matrix and zip has one point, its params; if it has include points, only those.
// Include points are never excluded. With `device_of`, a point whose device is still `auto` gets
// that of its pool; exclude rules see `auto`.
Expansion expand(const Sweep& sweep, const WorkloadDef& def, const DeviceOfPool& device_of = {});

}  // namespace sweepd
