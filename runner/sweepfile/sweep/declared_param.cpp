#include "runner/sweepfile/sweep/declared_param.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "runner/sweepfile/yaml/values.h"

namespace sweepd::sweepfile {
namespace {

const std::vector<std::string> kTypes{"integer", "real",  "boolean", "text",
                                      "choice",  "bytes", "list"};

// What is written, before the type is known.
struct Written {
  std::optional<std::string> type;
  const Node* default_value = nullptr;
  const Node* minimum = nullptr;
  const Node* maximum = nullptr;
  const Node* choices = nullptr;
};

ValueType type_of_text(const std::string& text) {
  for (const ValueType type : {ValueType::kInteger, ValueType::kReal, ValueType::kBoolean}) {
    if (parse_value(text, type)) return type;
  }
  return ValueType::kText;
}

bool is_list(const Node* node) {
  return node != nullptr && node->is_list();
}

Value zero_of(const ParamDef& def) {
  switch (def.type) {
    case ValueType::kReal:
      return 0.0;
    case ValueType::kBoolean:
      return false;
    case ValueType::kText:
      return std::string();
    case ValueType::kChoice:
      return def.choices.front();
    default:
      return std::int64_t{0};
  }
}

class DeclaredParam {
 public:
  DeclaredParam(Reporter& report, std::string name)
      : report_(report), what_("parameter `" + name + "`") {
    def_.name = std::move(name);
    def_.declared = true;
    def_.always_in_key = true;
  }

  std::optional<ParamDef> read(const Node& key, const Node& node) {
    const std::size_t before = report_.count();
    Written written;
    if (node.is_scalar() || node.is_list()) {
      written.default_value = &node;
    } else {
      read_details(node, written);
    }
    if (report_.count() == before) complete(key, written);
    if (report_.count() != before) return std::nullopt;
    return std::move(def_);
  }

 private:
  void read_details(const Node& node, Written& written) {
    if (!expect_map(report_, what_, node, "such as {type: integer, default: 512}")) return;
    const auto keep = [](const char* name, const Node*& member) {
      return Field{name, [&member](const Node&, const Node& value) { member = &value; }};
    };
    const auto text = [&](const char* name, std::string& member) {
      return Field{name, [&, name](const Node&, const Node& value) {
                     if (auto read = read_text(report_, what_ + ": " + name, value)) {
                       member = std::move(*read);
                     }
                   }};
    };
    const Field type{"type", [&](const Node&, const Node& value) {
                       written.type = read_word(report_, what_ + ": type", kTypes, value);
                     }};
    read_fields(report_, what_, node,
                {type, keep("default", written.default_value), keep("minimum", written.minimum),
                 keep("maximum", written.maximum), keep("choices", written.choices),
                 text("unit", def_.unit), text("help", def_.help)});
  }

  void complete(const Node& key, const Written& written) {
    if (written.choices != nullptr) read_choices(*written.choices);
    choose_type(key, written);
    def_.minimum = limit("minimum", written.minimum);
    def_.maximum = limit("maximum", written.maximum);
    if (def_.type == ValueType::kChoice && def_.choices.empty()) return;  // reported
    def_.default_value = zero_of(def_);
    if (written.default_value == nullptr) return;
    if (auto value =
            read_value_or_list(report_, def_, *written.default_value, "a default is one value")) {
      def_.default_value = std::move(*value);
    }
  }

  void read_choices(const Node& node) {
    if (!expect_list(report_, what_ + ": choices", "a list of words", node)) return;
    for (const NodePtr& item : node.items) {
      auto choice = read_text(report_, what_ + ": choices", *item);
      if (!choice) continue;
      if (std::ranges::find(def_.choices, *choice) != def_.choices.end()) {
        report_.error(item->mark, fmt::format("{}: choices: `{}` is listed twice", what_, *choice));
      } else {
        def_.choices.push_back(std::move(*choice));
      }
    }
    if (node.items.empty()) report_.error(node.mark, what_ + ": choices: the list is empty");
  }

  void choose_type(const Node& key, const Written& written) {
    if (written.type == "list" || (!written.type && is_list(written.default_value))) {
      def_.type = ValueType::kText;
      def_.form = TextForm::kList;
    } else if (written.type) {
      def_.type = *value_type_from(*written.type);
    } else if (written.choices != nullptr) {
      def_.type = ValueType::kChoice;
    } else if (written.default_value != nullptr && written.default_value->is_scalar()) {
      def_.type = type_of_text(written.default_value->text);
    } else {
      report_.error(key.mark, what_ + ": expected `type`, `choices` or `default`");
      return;
    }
    const bool is_choice = def_.type == ValueType::kChoice;
    if (is_choice != (written.choices != nullptr)) {
      report_.error(key.mark, fmt::format("{}: {}", what_,
                                          is_choice ? "a choice needs `choices`"
                                                    : "`choices` belong to `type: choice`"));
    }
  }

  std::optional<double> limit(const char* name, const Node* node) {
    if (node == nullptr) return std::nullopt;
    const bool has_order = def_.type == ValueType::kInteger || def_.type == ValueType::kReal ||
                           def_.type == ValueType::kBytes;
    if (!has_order) {
      report_.error(node->mark, fmt::format("{}: {}: values of type {} have none", what_, name,
                                            name_of(def_.type)));
      return std::nullopt;
    }
    ParamDef unlimited;
    unlimited.name = what_ + ": " + name;
    unlimited.type = def_.type;
    const auto value = read_value(report_, unlimited, *node, "a limit is one value");
    if (!value) return std::nullopt;
    if (const auto* real = std::get_if<double>(&*value)) return *real;
    return static_cast<double>(std::get<std::int64_t>(*value));
  }

  Reporter& report_;
  std::string what_;
  ParamDef def_;
};

}  // namespace

std::optional<ParamDef> read_declared_param(Reporter& report, const Node& key, const Node& value) {
  return DeclaredParam(report, key.text).read(key, value);
}

}  // namespace sweepd::sweepfile
