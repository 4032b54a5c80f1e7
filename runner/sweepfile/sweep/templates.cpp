#include "runner/sweepfile/sweep/templates.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <vector>

namespace sweepd {
namespace {

bool is_something(const ParamDef& def, const Value& value) {
  if (def.declared) return true;  // it always has a value
  if (const auto* text = std::get_if<std::string>(&value)) return !text->empty();
  if (def.type == ValueType::kBoolean || def.type == ValueType::kReal) return true;
  const auto* number = std::get_if<std::int64_t>(&value);
  return number == nullptr || *number != 0;
}

// The parameters to which the sweep gives 0 or an empty text.
std::set<std::size_t> given_as_nothing(const WorkloadDef& def, const Sweep& sweep) {
  std::set<std::size_t> given;
  each_value(sweep, [&](std::size_t param, const Value& value) {
    if (!is_something(def.params[param], value)) given.insert(param);
  });
  return given;
}

// A template parameter of a workload, with the names in the texts seen so far. Thousands of trials
// in a sweep share a few texts.
class Template {
 public:
  Template(const WorkloadDef& def, std::size_t param, const std::vector<std::size_t>& axes,
           const std::set<std::size_t>& given)
      : def_(def), param_(param), axes_(axes), given_(given) {}

  std::optional<std::string> mistake_in(const Trial& trial) {
    const std::string& text = std::get<std::string>(trial.values[param_]);
    const auto [entry, added] = texts_.try_emplace(text);
    if (added) entry->second = read(text);
    if (!entry->second.mistake.empty()) return entry->second.mistake;
    for (const std::size_t named : entry->second.named) {
      const ParamDef& other = def_.params[named];
      if (is_something(other, trial.values[named]) || given_.contains(named)) continue;
      const std::string label = label_of(def_, trial, axes_);
      return fmt::format("{}: {{{}}} is used, but the trial{}{} does not set `{}`", own().name,
                         other.name, label.empty() ? "" : " ", label, other.name);
    }
    return std::nullopt;
  }

 private:
  struct Text {
    std::string mistake;
    std::vector<std::size_t> named;  // of the workload's own parameters
  };
  const ParamDef& own() const { return def_.params[param_]; }

  Text read(const std::string& text) const {
    Text found;
    const bool absent = text.empty() && own().form != TextForm::kCommandLine;
    if (absent) return found;
    const auto names = names_in_text(text, own().form, own().template_names);
    if (!names) {
      found.mistake = fmt::format("{}: {}", own().name, names.error().message);
      return found;
    }
    for (const std::string& name : *names) {
      const auto index = def_.index_of(name);
      // A template of its own, such as `python`, has a value even if it is empty.
      const bool may_lack =
          index && !def_.params[*index].run_param && def_.params[*index].form == TextForm::kPlain;
      if (may_lack) found.named.push_back(*index);
    }
    return found;
  }

  const WorkloadDef& def_;
  std::size_t param_;
  const std::vector<std::size_t>& axes_;
  const std::set<std::size_t>& given_;
  std::map<std::string, Text> texts_;
};

}  // namespace

std::optional<std::string> mistake_in_templates(const WorkloadDef& def, const Expansion& expansion,
                                                const Sweep& sweep) {
  const std::vector<std::size_t> axes = axes_of(sweep);
  const std::set<std::size_t> given = given_as_nothing(def, sweep);
  std::vector<Template> templates;
  for (std::size_t i = 0; i < def.params.size(); ++i) {
    if (def.params[i].form != TextForm::kPlain) templates.emplace_back(def, i, axes, given);
  }
  if (templates.empty()) return std::nullopt;
  for (const ExpandedTrial& trial : expansion.trials) {
    for (Template& one : templates) {
      if (auto mistake = one.mistake_in(trial.trial)) return mistake;
    }
  }
  return std::nullopt;
}

}  // namespace sweepd
