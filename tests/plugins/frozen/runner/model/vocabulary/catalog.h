// The workloads that can be measured, with their parameters. `sweep-worker --describe` writes it as
// JSON (wire/catalog_json.h). The daemon validates sweeps with it and so never loads LibTorch.
// Plain values, immutable once built, except for the programs that sweep files declare: they are
// added while the daemon runs.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/base/fields.h"
#include "runner/base/result.h"
#include "runner/model/vocabulary/metric.h"
#include "runner/model/vocabulary/template_text.h"
#include "runner/model/vocabulary/value.h"

namespace sweepd {

// Whether a parameter describes the measurement, its place, or only its scheduling.
enum class ParamRole {
  kIdentity,    // part of the trial's key: another value is another trial
  kScheduling,  // priority, timeout, repeats: a change must not discard finished results
  // `pool`: not part of the trial's key, since results record where they were measured. But each
  // value is a point of the sweep with its own attempts.
  kPlace,
};
std::string_view name_of(ParamRole role);  // "identity", "scheduling", "place"
Result<ParamRole> param_role_from(std::string_view name);

// Whether the caption of a table names a parameter that is the same in all of it.
enum class InCaption {
  kIfSet,   // where it is not at its default; never a text, which may be long or private
  kAlways,  // at its default too, because no figure means anything without it
  kNever,   // how it was measured, or parameters without effect on figures: `steps`, `seed`
};
std::string_view name_of(InCaption caption);  // "if_set", "always", "never"
Result<InCaption> in_caption_from(std::string_view name);

struct ParamDef {
  std::string name;
  ValueType type = ValueType::kInteger;
  Value default_value;
  std::string help;
  std::vector<std::string> choices;  // kChoice only
  std::optional<double> minimum;     // inclusive, in the parameter's own unit (bytes, ns)
  std::optional<double> maximum;
  TextForm form = TextForm::kPlain;         // kText only
  std::vector<std::string> template_names;  // names allowed in its braces: parameters and others
  ParamRole role = ParamRole::kIdentity;
  bool run_param = false;  // shared by every workload (model/sweep/run_params.h)
  // The worker fills it in at submission if a sweep leaves it at its default: the trial's content
  // beside its parameters, such as a program's code.
  bool computed = false;
  // A sweep file declared it for its program (model/vocabulary/program.h).
  bool declared = false;
  // Part of the key even at its default, because another sweep file may declare another default.
  // False for a declared one that a sweep file omits.
  bool always_in_key = false;
  std::string unit = {};  // of a declared one, for people
  // With a larger value, or a later choice, a step needs as much memory or more
  // (model/sweep/frontier.h). 0 of a parameter that may be 0 stands for another value.
  bool grows_memory = false;
  InCaption in_caption = InCaption::kIfSet;

  // Checks syntax, choices, limits and, in a template, its names. The error names the parameter,
  // the value and the expected form.
  Result<Value> parse(std::string_view text) const;
  std::string text(const Value& value) const { return to_text(value, type); }
  bool operator==(const ParamDef&) const = default;
  // Without the default, whose form the type decides.
  static void visit(auto& self, auto&& field) {
    field("name", self.name, "");
    field("type", self.type, "");
    field("help", self.help, "");
    field("role", self.role, "");
    field("run_param", self.run_param, "");
    field("choices", self.choices, "", Sparse());
    field("minimum", self.minimum, "");
    field("maximum", self.maximum, "");
    field("form", self.form, "", Sparse());
    field("template_names", self.template_names, "", Sparse());
    field("computed", self.computed, "", Sparse());
    field("declared", self.declared, "", Sparse());
    field("unit", self.unit, "", Sparse());
    field("grows_memory", self.grows_memory, "", Sparse());
    field("in_caption", self.in_caption, "", Sparse());
  }
};

struct WorkloadDef {
  std::string name;
  int version = 1;  // part of every trial's key: raise it when old timings are no longer comparable
  std::string help;
  std::vector<std::string> passes;  // of timing, memory, profile
  std::vector<std::string> phases;  // in step order, without `step`
  std::vector<ParamDef> params;     // the workload's own, then the run parameters
  // Formulas (`work`) give all figures: nothing is measured, and one process serves many trials.
  bool analytic = false;
  // A hash of its code (workloads/api/code.h): results of other code are not reused. Empty if
  // unknown, or if a computed parameter is more precise.
  std::string code;
  // Of a program that a sweep file declared: the workload that runs it, and its own metrics.
  std::string base = {};
  std::vector<MetricDef> metrics = {};

  std::optional<std::size_t> index_of(std::string_view param) const;
  const ParamDef* find(std::string_view param) const;
  std::optional<std::size_t> computed_param() const;
  std::vector<std::string> param_names() const;
  bool operator==(const WorkloadDef&) const = default;
  static void visit(auto& self, auto&& field) {
    field("name", self.name, "");
    field("version", self.version, "");
    field("help", self.help, "");
    field("passes", self.passes, "");
    field("phases", self.phases, "");
    field("analytic", self.analytic, "", MayLack());
    field("code", self.code, "", MayLack());
    field("params", self.params, "");
    field("base", self.base, "", Sparse());
    if (!self.base.empty()) field("metrics", self.metrics, "", MayLack());
  }
};

// The programs that sweep files declared (model/vocabulary/program.h), by name. All threads may use
// it. A result of `find` stays valid and unchanged while the object lives.
class Programs {
 public:
  const WorkloadDef* find(std::string_view name) const;  // the latest; null: none
  void set(WorkloadDef program);
  std::vector<WorkloadDef> all() const;  // sorted by name

 private:
  mutable std::mutex mutex_;
  std::deque<WorkloadDef> ever_;
  std::map<std::string, const WorkloadDef*, std::less<>> now_;
};

struct Catalog;
// The catalog with `pool` as a choice among these: a sweep file may name no other. Results may, so
// their readers use the unrestricted catalog.
Catalog with_pools(Catalog catalog, const std::vector<std::string>& pools);

struct Catalog {
  std::vector<WorkloadDef> workloads;  // sorted by name
  // Copies of a catalog share them. They belong to one database; another one needs
  // `without_programs`.
  std::shared_ptr<Programs> programs = std::make_shared<Programs>();

  const WorkloadDef* find(std::string_view workload) const;  // or program
  std::vector<std::string> names() const;                    // of both
  Catalog without_programs() const { return {workloads}; }
};

}  // namespace sweepd
