// A submitted spec after parsing: plain values, every one validated against the catalog.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runner/model/catalog.h"
#include "runner/model/trial.h"

namespace sweepd {

// A parameter by its index in WorkloadDef::params.
struct Setting {
  std::size_t param = 0;
  Value value;
};
struct Axis {
  std::size_t param = 0;
  std::vector<Value> values;
};
// Lists of equal length that advance together.
struct ZipGroup {
  std::vector<Axis> axes;
};
// Excludes a trial when every key matches; a key matches when the trial's value is in its list.
struct ExcludeRule {
  std::vector<Axis> keys;
  int line = 0;  // in the sweep file, for `plan`
};

enum class Order { kInterleaved, kSequential, kShuffled };
std::string_view name_of(Order order);
Result<Order> order_from(std::string_view name);

// A table a sweep file declares. Names are parameters or the columns every result has: phase, pass,
// metric, step, repeat, rank, outcome, verdict, host, device_name (docs/DATABASE.md).
struct TableSpec {
  std::string title;
  std::vector<std::string> rows;
  std::vector<std::string> columns;
  std::string cell;    // "{mean:.1f} ± {std:.1f}"; "" lets the reporter choose by unit
  std::string metric;  // "" is `time`
  std::string unit;    // "" is the metric's own
  struct Filter {
    std::string name;
    std::vector<std::string> values;
  };
  std::vector<Filter> where;
  bool warmup = false;  // with `step` among rows or columns: list warm-up steps too
};

struct Sweep {
  std::string name;
  std::string description;
  std::string workload;
  std::vector<Pass> passes{Pass::kTiming};
  std::vector<Setting> params;
  std::vector<Axis> matrix;
  std::vector<ZipGroup> zip;
  std::vector<ExcludeRule> exclude;
  std::vector<std::vector<Setting>> include;
  Order order = Order::kInterleaved;
  std::vector<TableSpec> tables;
  std::string source;  // the document's text as submitted, for `show` and for reproduction
};

}  // namespace sweepd
