// Reads the files under experiments/ as sweeps without a worker that could list its workloads. The
// catalog contains what the files themselves name, so that their tables can be made from any
// results.
#pragma once

#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "db/query/query.h"
#include "runner/base/units.h"
#include "runner/model/sweep/run_params.h"
#include "runner/model/vocabulary/param.h"
#include "runner/model/vocabulary/result_column.h"
#include "runner/sweepfile/sweep/sweepfile.h"

namespace sweepd::test {

// Each workload in the files: its parameters with all values that they get.
class NamedInFiles {
 public:
  explicit NamedInFiles(const std::set<std::string>& common) : common_(common) {}

  void read(const YAML::Node& document) {
    params_ = &workloads_[document["workload"].Scalar()];
    settings(document["params"]);
    settings(document["matrix"]);
    for (const char* lists : {"zip", "include", "exclude"}) {
      for (const YAML::Node& each : document[lists]) settings(each);
    }
    for (const YAML::Node& table : document["tables"]) {
      for (const char* names : {"rows", "columns"}) dimensions(table[names]);
      for (const char* filters : {"where", "baseline"}) settings(table[filters]);
      for (const YAML::Node& value : table["values"]) settings(value["where"]);
    }
    for (const YAML::Node& plot : document["plots"]) {
      for (const char* filters : {"where", "baseline"}) settings(plot[filters]);
      for (const YAML::Node& series : plot["beside"]) settings(series["where"]);
    }
  }

  Catalog catalog() const {
    std::vector<ParamDef> run = describe_params<RunParams>();
    for (ParamDef& param : run) param.run_param = true;
    Catalog catalog;
    for (const auto& [name, params] : workloads_) {
      WorkloadDef def;
      def.name = name;
      def.passes = {"timing", "memory", "profile"};
      def.phases = {"forward", "backward", "communication", "optimizer", "idle"};
      for (const auto& [param, values] : params) {
        const bool known = std::any_of(run.begin(), run.end(),
                                       [&](const ParamDef& each) { return each.name == param; });
        if (!known) def.params.push_back(param_of(param, values));
      }
      def.params.insert(def.params.end(), run.begin(), run.end());
      catalog.workloads.push_back(std::move(def));
    }
    return catalog;
  }

 private:
  using Params = std::map<std::string, std::set<std::string>>;

  static ParamDef param_of(const std::string& name, const std::set<std::string>& values) {
    ParamDef def;
    def.name = name;
    const bool whole = std::all_of(values.begin(), values.end(), [](const std::string& value) {
      return static_cast<bool>(parse_integer(value));
    });
    def.type = whole && !values.empty() ? ValueType::kInteger : ValueType::kText;
    def.default_value = def.type == ValueType::kInteger ? Value(std::int64_t{1}) : Value("");
    return def;
  }

  void add(const std::string& name, const YAML::Node& value) {
    if (common_.contains(name)) return;
    std::set<std::string>& values = (*params_)[name];
    if (value.IsScalar()) values.insert(value.Scalar());
    if (!value.IsSequence()) return;
    for (const YAML::Node& each : value) {
      values.insert(each.IsScalar() ? each.Scalar() : "a list");
    }
  }
  void settings(const YAML::Node& map) {
    for (const auto& entry : map) add(entry.first.Scalar(), entry.second);
  }
  void dimensions(const YAML::Node& names) {
    for (const YAML::Node& name : names) {
      add(name.IsMap() ? name.begin()->first.Scalar() : name.Scalar(), {});
    }
  }

  const std::set<std::string>& common_;  // names that are not parameters
  std::map<std::string, Params> workloads_;
  Params* params_ = nullptr;
};

struct Experiments {
  Catalog catalog;
  struct File {
    std::string name;  // "end_to_end/precision.yaml"
    std::vector<Sweep> sweeps;
  };
  std::vector<File> files;
};

// Throws if a file does not parse.
inline Experiments load_experiments(const std::filesystem::path& folder) {
  const auto& columns = result_column_names();
  const std::set<std::string> common(columns.begin(), columns.end());
  NamedInFiles named(common);
  std::map<std::string, std::string> texts;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const auto& path = entry.path();
    const bool other =
        path.filename() == "study.yaml" || path.parent_path().filename() == "reference";
    if (path.extension() != ".yaml" || other) continue;
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    // A program declares its own parameters, which the catalog made here does not have.
    if (text.str().find("\nprogram:") != std::string::npos) continue;
    for (const YAML::Node& document : YAML::LoadAll(text.str())) named.read(document);
    texts[std::filesystem::relative(entry.path(), folder)] = text.str();
  }
  Experiments all{named.catalog(), {}};
  for (const auto& [name, text] : texts) {
    Parsed parsed = parse_sweeps(text, name, all.catalog, {});
    if (!parsed.errors.empty()) throw std::runtime_error(render(parsed.errors));
    all.files.push_back({name, std::move(parsed.sweeps)});
  }
  return all;
}

inline const Experiments& experiments() {
  static const Experiments all = load_experiments(EXPERIMENTS_FOLDER);
  return all;
}

}  // namespace sweepd::test
