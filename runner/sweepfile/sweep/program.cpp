#include "runner/sweepfile/sweep/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "runner/base/text.h"
#include "runner/model/vocabulary/program.h"
#include "runner/sweepfile/sweep/auto_args.h"
#include "runner/sweepfile/sweep/declared_param.h"
#include "runner/sweepfile/yaml/values.h"

namespace sweepd::sweepfile {
namespace {

const std::vector<std::string> kKeys{"program", "parameters", "metrics", "phases"};

class ProgramReader {
 public:
  ProgramReader(Reporter& report, const WorkloadDef& base, WorkloadDef& declaration)
      : report_(report), base_(base), declaration_(declaration) {}

  void read_parameters(const Node& node) {
    if (!expect_map(report_, "parameters", node)) return;
    for (const auto& [key, value] : node.entries) {
      if (std::string why = refusal_of_param_name(base_, key->text); !why.empty()) {
        report_.error(key->mark, "parameters: " + why);
      } else if (auto param = read_declared_param(report_, *key, *value)) {
        marks_[param->name] = key->mark;
        declaration_.params.push_back(std::move(*param));
      }
    }
  }

  void read_metrics(const Node& node) {
    if (!expect_map(report_, "metrics", node)) return;
    for (const auto& [key, value] : node.entries) {
      if (std::string why = refusal_of_metric_name(key->text); !why.empty()) {
        report_.error(key->mark, "metrics: " + why);
        continue;
      }
      marks_[key->text] = key->mark;
      MetricDef metric{key->text};
      if (value->is_scalar()) {
        metric.unit = value->text;  // `gflops: GFLOP/s`
      } else {
        read_metric(metric, *value);
      }
      declaration_.metrics.push_back(std::move(metric));
    }
  }

  void read_phases(const Node& node) {
    if (!expect_list(report_, "phases", "a list of names", node)) return;
    for (const NodePtr& item : node.items) {
      if (auto phase = read_text(report_, "phases", *item)) {
        declaration_.phases.push_back(std::move(*phase));
      }
    }
  }

  const Mark* mark_of(const std::string& name) const {
    const auto found = marks_.find(name);
    return found == marks_.end() ? nullptr : &found->second;
  }

 private:
  void read_metric(MetricDef& metric, const Node& node) {
    const std::string what = "metric `" + metric.name + "`";
    if (!expect_map(report_, what, node)) return;
    const auto text = [&](const char* name, std::string& member) {
      return Field{name, [&, name](const Node&, const Node& value) {
                     if (auto read = read_text(report_, what + ": " + name, value)) {
                       member = std::move(*read);
                     }
                   }};
    };
    const Field better{
        "better", [&](const Node&, const Node& value) {
          const auto word = read_word(report_, what + ": better", {"higher", "lower"}, value);
          if (word) {
            metric.better = *word == "higher" ? Better::kLarger : Better::kSmaller;
          }
        }};
    read_fields(report_, what, node,
                {text("unit", metric.unit), better, text("help", metric.help)});
  }

  Reporter& report_;
  const WorkloadDef& base_;
  WorkloadDef& declaration_;
  std::map<std::string, Mark> marks_;  // of parameters and metrics
};

// What is known of the program already: by the file, else by the database.
WorkloadDef known_declaration(const Catalog& catalog, const FilePrograms& programs,
                              const WorkloadDef& declared) {
  const auto earlier = programs.find(declared.name);
  if (earlier != programs.end()) return declaration_of(*earlier->second);
  const WorkloadDef* stored = catalog.programs->find(declared.name);
  if (stored != nullptr) return declaration_of(*stored);
  WorkloadDef none = declared;
  none.params.clear();
  none.metrics.clear();
  none.phases.clear();
  return none;
}

// The phases that `observe` finds need no declaration.
std::vector<std::string> observed_phases(const Node& root) {
  const Node::Entry* params = entry_in(root, "params");
  const Node::Entry* observe = params != nullptr ? entry_in(*params->value, "observe") : nullptr;
  if (observe == nullptr || observe->value->text != "torch") return {};
  return {"data", "forward", "backward", "optimizer"};
}

// Of a declaration that is part of the file's, only what the file declares is in its keys: what
// other files add must not make its trials others.
WorkloadDef without_keys(WorkloadDef declaration) {
  for (ParamDef& param : declaration.params) param.always_in_key = false;
  return declaration;
}

}  // namespace

bool has_program(const Node& root) {
  return std::ranges::any_of(kKeys,
                             [&](const auto& key) { return entry_in(root, key) != nullptr; });
}

void read_program(Reporter& report, const Catalog& catalog, FilePrograms& programs, Draft& draft,
                  const Node& root) {
  const std::size_t before = report.count();
  const Node::Entry* named = entry_in(root, "program");
  if (named == nullptr) {
    for (const std::string& key : kKeys) {
      if (const Node::Entry* entry = entry_in(root, key)) {
        report.error(entry->key->mark,
                     fmt::format("`{}` belongs to a program, and the sweep names none", key),
                     "name it: `program: NAME`; sweeps of one program share a table");
      }
    }
    return;
  }
  const WorkloadDef* base = catalog.find(kProgramBase);
  if (base == nullptr) {
    report.error(named->key->mark, fmt::format("program: this worker lacks `{}`", kProgramBase));
    return;
  }
  const auto name = read_text(report, "program", *named->value);
  if (!name) return;
  if (std::string why = refusal_of_program_name(catalog, *name); !why.empty()) {
    report.error(named->value->mark, "program: " + why);
  }
  if (const Node::Entry* workload = entry_in(root, "workload")) {
    read_word(report, "workload", {std::string(kProgramBase)}, *workload->value);
  }
  WorkloadDef declared;
  declared.name = *name;
  declared.base = base->name;
  declared.version = base->version;
  declared.passes = base->passes;
  declared.help = "a program that a sweep file declared";
  ProgramReader reader(report, *base, declared);
  if (const Node::Entry* entry = entry_in(root, "parameters"))
    reader.read_parameters(*entry->value);
  if (const Node::Entry* entry = entry_in(root, "metrics")) reader.read_metrics(*entry->value);
  if (const Node::Entry* entry = entry_in(root, "phases")) reader.read_phases(*entry->value);
  for (std::string& phase : observed_phases(root)) {
    if (std::ranges::find(declared.phases, phase) == declared.phases.end()) {
      declared.phases.push_back(std::move(phase));
    }
  }
  WorkloadDef known = known_declaration(catalog, programs, declared);
  if (entry_in(root, "parameters") != nullptr) known = without_keys(std::move(known));
  MergedProgram merged = merge_programs(known, declared);
  for (const ProgramConflict& conflict : merged.conflicts) {
    const Mark* mark = reader.mark_of(conflict.name);
    report.error(
        mark != nullptr ? *mark : named->value->mark,
        fmt::format("{}: {}",
                    conflict.where == ProgramConflict::Where::kParameter ? "parameters" : "metrics",
                    conflict.message));
  }
  if (report.count() != before) return;
  draft.declared = std::move(declared.params);
  draft.sweep.workload = *name;
  draft.sweep.program =
      std::make_shared<const WorkloadDef>(define_program(*base, merged.declaration));
  draft.def = draft.sweep.program.get();
  programs[*name] = draft.sweep.program;
}

void set_own_defaults(Draft& draft) {
  if (draft.def == nullptr) return;
  for (const ParamDef& own : draft.declared) {
    const auto index = draft.def->index_of(own.name);
    if (!index || draft.def->params[*index].default_value == own.default_value) continue;
    const auto claim = draft.claims.find(*index);
    if (claim != draft.claims.end() && claim->second.section == "params") continue;
    draft.sweep.params.push_back({*index, own.default_value});
  }
}

void spell_out_args(Reporter& report, Draft& draft) {
  const auto index = draft.def->index_of("args");
  if (!index) return;
  std::vector<ParamDef> own = draft.declared;
  if (own.empty())
    std::ranges::copy_if(draft.def->params, std::back_inserter(own), &ParamDef::declared);
  each_value(draft.sweep, [&](std::size_t param, Value& value) {
    if (param != *index || !is_auto_args(std::get<std::string>(value))) return;
    if (own.empty()) {
      report.error(draft.name_mark,
                   "args: `auto` passes the parameters of a program, and the sweep declares none",
                   "declare them under `parameters`");
      return;
    }
    auto spelled = spell_out_auto_args(std::get<std::string>(value), own);
    if (!spelled) {
      report.error(draft.name_mark, spelled.error().message);
      return;
    }
    value = std::move(*spelled);
  });
}

}  // namespace sweepd::sweepfile
