#include "runner/sweepfile/yaml/values.h"

#include <fmt/format.h>

#include <algorithm>

#include "runner/base/printable.h"
#include "runner/base/text.h"
#include "runner/base/units.h"

namespace sweepd::sweepfile {

void report_kind(Reporter& report, std::string_view what, std::string_view expected,
                 const Node& found, std::string_view help) {
  report.error(found.mark,
               fmt::format("{}: expected {}, found {}", what, expected, describe(found.kind)),
               help);
}

bool expect_map(Reporter& report, std::string_view what, const Node& node, std::string_view help) {
  if (node.is_map()) return true;
  report_kind(report, what, "a map (`name: value`)", node, help);
  return false;
}

bool expect_list(Reporter& report, std::string_view what, std::string_view expected,
                 const Node& node, std::string_view help) {
  if (node.is_list()) return true;
  report_kind(report, what, expected, node, help);
  return false;
}

std::optional<std::string> read_text(Reporter& report, std::string_view what, const Node& node) {
  if (node.is_scalar() && is_printable(node.text)) return node.text;
  if (node.is_scalar()) {
    report.error(node.mark,
                 fmt::format("{}: `{}` has a control character, or a mark that turns the direction "
                             "of text; expected neither",
                             what, shown(node.text)));
    return std::nullopt;
  }
  report_kind(report, what, "a text", node);
  return std::nullopt;
}

std::optional<bool> read_boolean(Reporter& report, std::string_view what, const Node& node) {
  const auto text = read_text(report, what, node);
  if (!text) return std::nullopt;
  const auto value = parse_boolean(*text);
  if (value) return *value;
  report.error(node.mark, fmt::format("{}: {}", what, value.error().message));
  return std::nullopt;
}

std::optional<std::string> read_word(Reporter& report, std::string_view what,
                                     const std::vector<std::string>& words, const Node& node) {
  auto text = read_text(report, what, node);
  if (!text) return std::nullopt;
  if (std::find(words.begin(), words.end(), *text) != words.end()) return text;
  report.error(node.mark,
               fmt::format("{}: `{}` is not one of {}", what, shown(*text), join(words, ", ")),
               help_nearest(*text, words));
  return std::nullopt;
}

void read_fields(Reporter& report, std::string_view what, const Node& map,
                 const std::vector<Field>& fields,
                 const std::function<std::string(const std::string&)>& unknown) {
  for (const Node::Entry& entry : map.entries) {
    const Node& key = *entry.key;
    const auto field = std::find_if(fields.begin(), fields.end(),
                                    [&](const Field& f) { return f.name == key.text; });
    if (field != fields.end()) {
      field->read(key, *entry.value);
      continue;
    }
    std::vector<std::string> names;
    names.reserve(fields.size());
    for (const Field& f : fields) names.push_back(f.name);
    std::string help = unknown ? unknown(key.text) : "";
    if (help.empty()) help = help_nearest(key.text, names);
    report.error(key.mark,
                 fmt::format("`{}` is not a key of {}; expected one of {}", shown(key.text), what,
                             join(names, ", ")),
                 help);
  }
}

Refusal refusal_of(const ParamDef& def, const Error& error, std::string_view written) {
  Refusal refusal{error.message, ""};
  if (def.type != ValueType::kChoice) return refusal;
  refusal.help = help_nearest(written, def.choices);
  const std::string hint = did_you_mean(written, def.choices);
  if (!hint.empty() && refusal.message.ends_with(hint)) {
    refusal.message.resize(refusal.message.size() - hint.size());
  }
  return refusal;
}

std::optional<std::size_t> read_param(Reporter& report, const WorkloadDef* def, const Node& key) {
  if (def == nullptr) return std::nullopt;
  if (const auto index = def->index_of(key.text)) return index;
  std::string help = help_nearest(key.text, def->param_names());
  if (help.empty()) help = "`sweepctl workloads " + def->name + "` lists them";
  report.error(key.mark, fmt::format("`{}` is not a parameter of {}", shown(key.text), def->name),
               help);
  return std::nullopt;
}

std::optional<Value> read_value(Reporter& report, const ParamDef& def, const Node& node,
                                std::string_view several) {
  if (!node.is_scalar()) {
    report_kind(report, def.name, "one value", node, node.is_list() ? std::string(several) : "");
    return std::nullopt;
  }
  // Refuses long texts before they are parsed. The message gives their size instead of the text.
  constexpr std::size_t kMaxText = std::size_t{16} << 10, kMaxOther = 1024;
  const std::size_t most = def.type == ValueType::kText ? kMaxText : kMaxOther;
  if (node.text.size() > most) {
    report.error(node.mark, fmt::format("{}: a value of {} bytes; at most {}", def.name,
                                        node.text.size(), most));
    return std::nullopt;
  }
  auto value = def.parse(node.text);
  if (value) return std::move(*value);
  Refusal refusal = refusal_of(def, value.error(), node.text);
  report.error(node.mark, refusal.message, std::move(refusal.help));
  return std::nullopt;
}

std::optional<Value> read_value_or_list(Reporter& report, const ParamDef& def, const Node& node,
                                        std::string_view several) {
  if (def.form != TextForm::kList || !node.is_list()) return read_value(report, def, node, several);
  std::string words;
  for (const NodePtr& item : node.items) {
    const auto text = read_text(report, def.name, *item);
    if (!text) return std::nullopt;
    words += (words.empty() ? "" : " ") + as_word(*text);
  }
  auto value = def.parse(words);
  if (value) return std::move(*value);
  report.error(node.mark, value.error().message);
  return std::nullopt;
}

}  // namespace sweepd::sweepfile
