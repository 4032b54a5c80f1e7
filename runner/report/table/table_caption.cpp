#include "runner/report/table/table_caption.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "runner/base/text.h"
#include "runner/base/units.h"
#include "runner/report/cell/layout.h"
#include "runner/report/cell/report.h"

namespace sweepd {
namespace {

constexpr std::size_t kMostDiffering = 4;  // parameters named one by one
constexpr std::size_t kMostText = 40;      // letters of one value

bool contains_name(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_filtered(const std::vector<TableSpec::Filter>& filters, const std::string& name) {
  return std::ranges::any_of(filters, [&](const auto& filter) { return filter.name == name; });
}

// One parameter in all sources of a table.
struct Common {
  const ParamDef* param = nullptr;
  std::vector<Value> values;  // ascending
  bool several = false;       // only the least and the largest of more
};

void add(Common& common, const MeasuredWith::Param& found) {
  std::vector<Value> all = common.values;
  all.insert(all.end(), found.values.begin(), found.values.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  common.several |= found.several;
  common.values = std::move(all);
}

std::vector<Common> common_params(const std::vector<CaptionSource>& sources) {
  std::vector<Common> all;
  for (const CaptionSource& source : sources) {
    for (const MeasuredWith::Param& found : source.with.params) {
      const ParamDef& param = source.def->params[found.index];
      if (found.values.empty()) continue;
      auto same = std::ranges::find_if(all, [&](const Common& each) {
        return each.param->name == param.name && each.param->type == param.type;
      });
      if (same == all.end()) same = all.insert(all.end(), Common{&param, {}, false});
      add(*same, found);
    }
  }
  return all;
}

std::string text_of(const ParamDef& param, const Value& value) {
  std::string text = param.text(value);
  if (display_width(text) > kMostText) text = report::wrap(text, kMostText).front() + "…";
  if (!param.unit.empty() && !text.empty()) text += " " + param.unit;
  return text;
}

// "batch 4"; "causal", "not causal"; a precision needs no name.
std::string phrase_of(const ParamDef& param, const Value& value) {
  const std::string text = text_of(param, value);
  if (const bool* on = std::get_if<bool>(&value)) return (*on ? "" : "not ") + param.name;
  const bool bare = param.name == "precision" || param.name == "dtype";
  return bare ? text : param.name + " " + text;
}

// Whether some trials have a default of 0, which stands for another value, as that of `d_model`
// stands for the model's.
bool is_partly_unset(const Common& common) {
  const Value& unset = common.param->default_value;
  return !common.several && unset == Value(std::int64_t{0}) &&
         std::ranges::find(common.values, unset) != common.values.end();
}

// "context 64, 128"; "context 64 to 4096"; without an unset value.
std::string phrase_of(const Common& common) {
  const auto text = [&](const Value& value) { return text_of(*common.param, value); };
  const bool numbers =
      common.param->type != ValueType::kText && common.param->type != ValueType::kChoice;
  if (!common.several) {
    const bool unset = is_partly_unset(common);
    std::vector<std::string> texts;
    for (const Value& value : common.values) {
      if (!unset || value != common.param->default_value) texts.push_back(text(value));
    }
    std::erase(texts, "");
    return common.param->name + " " + join(texts, ", ");
  }
  if (!numbers) return common.param->name;
  return fmt::format("{} {} to {}", common.param->name, text(common.values.front()),
                     text(common.values.back()));
}

class CaptionWriter {
 public:
  CaptionWriter(Table& table, const std::vector<CaptionSource>& sources, const QuerySpec& query)
      : table_(table), sources_(sources), query_(query) {}

  void write() {
    // Of published figures beside measured ones, the caption can only say what the table asks for.
    const bool beside = is_shown("source");
    std::vector<std::string> asked, same, differing, partly;
    for (const Common& common : common_params(sources_)) {
      const bool constant = !common.several && common.values.size() == 1;
      if (!is_wanted(common, constant)) continue;
      if (constant) {
        const bool of_all = beside && is_filtered(query_.table.where, common.param->name);
        (of_all ? asked : same).push_back(phrase_of(*common.param, common.values.front()));
        add_constant(common.param->name, text_of(*common.param, common.values.front()));
      } else {
        (is_partly_unset(common) ? partly : differing).push_back(phrase_of(common));
      }
    }
    add_part(join(asked, ", "));
    const std::size_t of_ours = parts_.size();
    add_part(join(same, ", "));
    add_list("within the table: ", std::move(differing));
    add_list("in some rows: ", std::move(partly));
    const bool analytic =
        !sources_.empty() &&
        std::ranges::all_of(sources_, [](const auto& source) { return source.def->analytic; });
    const bool computed = analytic || (beside && shows_formulas(query_.table));
    if (computed) {
      if (!beside) add_part("by formula");
    } else if (!is_shown("device_name")) {
      add_all("device_name", "", devices());
    }
    add_date();
    add_all("sweepd", "sweepd ", programs());
    if (beside && parts_.size() > of_ours) {
      parts_[of_ours] = (computed ? "by formula: " : "measured: ") + parts_[of_ours];
    }
    table_.caption = join(parts_, "; ");
  }

 private:
  bool is_shown(const std::string& name) const {
    return contains_name(query_.table.rows, name) || contains_name(query_.table.columns, name);
  }

  // Whether each value of the table has a separate filter by it, which a note says.
  bool is_of_values(const std::string& name) const {
    const auto& values = query_.table.values;
    return !values.empty() && std::ranges::all_of(values, [&](const TableSpec::Value& value) {
      return is_filtered(value.where, name);
    });
  }

  bool is_wanted(const Common& common, bool constant) const {
    const ParamDef& param = *common.param;
    // With `only_varying`, constant rows and columns are omitted.
    if (is_shown(param.name) && !(query_.only_varying && constant)) return false;
    if (!constant && is_of_values(param.name)) return false;
    const bool text = param.type == ValueType::kText;
    if (constant && text && std::get<std::string>(common.values.front()).empty()) return false;
    const bool asked = is_filtered(query_.table.where, param.name);
    if (asked || param.declared || param.in_caption == InCaption::kAlways) return true;
    return !text && !(constant && common.values.front() == param.default_value);
  }

  void add_list(const std::string& beginning, std::vector<std::string> phrases) {
    if (phrases.size() > kMostDiffering) {
      const std::size_t more = phrases.size() - kMostDiffering;
      phrases.resize(kMostDiffering);
      phrases.push_back(fmt::format("{} more", more));
    }
    if (!phrases.empty()) add_part(beginning + join(phrases, "; "));
  }

  void add_part(std::string part) {
    if (!part.empty()) parts_.push_back(std::move(part));
  }
  void add_constant(const std::string& name, std::string value) {
    table_.constants.push_back({name, std::move(value)});
  }

  void add_all(const std::string& name, const std::string& before,
               const std::set<std::string>& texts) {
    if (texts.empty()) return;
    const std::string all = join(std::vector<std::string>(texts.begin(), texts.end()), ", ");
    add_part(before + all);
    add_constant(name, all);
  }

  std::set<std::string> devices() const {
    std::set<std::string> all;
    for (const auto& source : sources_) {
      all.insert(source.with.devices.begin(), source.with.devices.end());
    }
    return all;
  }
  std::set<std::string> programs() const {
    std::set<std::string> all;
    for (const auto& source : sources_) {
      all.insert(source.with.programs.begin(), source.with.programs.end());
    }
    return all;
  }

  void add_date() {
    std::optional<WallTime> first, last;
    for (const auto& source : sources_) {
      if (!source.with.first || !source.with.last) continue;
      if (!first || source.with.first->ns < first->ns) first = source.with.first;
      if (!last || source.with.last->ns > last->ns) last = source.with.last;
    }
    if (!first) return;
    constexpr std::size_t kDate = 10;  // letters of 2026-11-26
    const std::string from = to_text(*first).substr(0, kDate), to = to_text(*last).substr(0, kDate);
    const std::string all = from == to ? from : from + " to " + to;
    add_part(all);
    add_constant("date", all);
  }

  Table& table_;
  const std::vector<CaptionSource>& sources_;
  const QuerySpec& query_;
  std::vector<std::string> parts_;
};

}  // namespace

void set_caption(Table& table, const std::vector<CaptionSource>& sources, const QuerySpec& query) {
  CaptionWriter(table, sources, query).write();
}

}  // namespace sweepd
