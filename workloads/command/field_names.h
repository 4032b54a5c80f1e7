// The meaning of the columns or keys that a program writes: by their names, and by the map of
// `reports`.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runner/model/vocabulary/metric_name.h"
#include "workloads/command/metric_names.h"

namespace sweepd::command {

// A map is lines `OURS = THEIRS`. OURS is `step`, `warmup` or METRIC[.PHASE][:UNIT]; THEIRS is the
// name of a column, or of a key with those above it: `train.loss` or `train/loss`. A time whose
// OURS has no unit is converted from the unit that THEIRS ends or begins with: `wall time (s)`,
// `step_ms`, `ms/iter`.
//
// Every other name is the metric that it says (metric_names.h), of phase `step`, unless it is a
// time with a phase. `step`, else `iter`, `iteration` or `global_step`, is the step.
class FieldNames {
 public:
  // Throws std::invalid_argument that names the line and its mistake.
  explicit FieldNames(std::string_view map = "");

  enum class Kind { kStep, kWarmup, kFigure, kTaken };  // taken: by another name in the map
  struct Field {
    Kind kind = Kind::kFigure;
    FigureName figure = {};
    bool is_stored = false;  // the metric is by the name under which it is stored
  };
  // `names` are all that stand beside each other, those of keys in objects with dots between.
  // Returns what each of them is. A metric gets its stored name by `store`, when it has a figure.
  std::vector<Field> fields_of(const std::vector<std::string>& names);
  void store(Field& field);

  bool is_mapped(std::string_view theirs) const { return find(theirs) != nullptr; }
  static bool is_step(std::string_view name);

  // The facts `metric.NAME`, and `map.unmatched` if a THEIRS was never there.
  std::vector<Report> finish() const;
  // "`ms/itr` (did you mean `ms/iter`?); there were `iter`, `loss`"; "" if all were there.
  std::string unmatched() const;

 private:
  struct Mapped {
    Field field;
    std::string theirs;
    bool seen = false;
  };
  void add(std::string_view ours, std::string_view theirs);
  const Mapped* find(std::string_view theirs) const;
  bool has(const Field& field) const;
  Field field_of(const std::string& name, bool is_step) const;

  std::vector<Mapped> map_;
  std::vector<std::string> there_;  // the first names that were there
  MetricNames names_;
};

}  // namespace sweepd::command
