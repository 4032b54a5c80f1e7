#include "runner/wire/catalog_json.h"

#include <utility>
#include <variant>

#include "runner/wire/message.h"

namespace sweepd {

inline Result<void> read_message(const nlohmann::json& value, ValueType& out) {
  return read_name(value, &value_type_from, out);
}
inline Result<void> read_message(const nlohmann::json& value, TextForm& out) {
  return read_name(value, &text_form_from, out);
}
inline Result<void> read_message(const nlohmann::json& value, ParamRole& out) {
  return read_name(value, &param_role_from, out);
}
inline Result<void> read_message(const nlohmann::json& value, InCaption& out) {
  return read_name(value, &in_caption_from, out);
}
inline Result<void> read_message(const nlohmann::json& value, Better& out) {
  return read_name(value, &better_from, out);
}

inline nlohmann::json to_json(const ParamDef& def) {
  nlohmann::json json = members_to_message(def);
  json["default"] = to_json(def, def.default_value);
  return json;
}

inline Result<void> read_message(const nlohmann::json& value, ParamDef& out, const JsonPath& path) {
  if (auto read = members_from_message(value, out, path); !read) return read;
  const JsonPath at{&path, "default"};
  const auto found = value.find("default");
  if (found == value.end()) return at.mistake("missing");
  // The default of a command line is no command line.
  const TextForm form = std::exchange(out.form, TextForm::kPlain);
  auto parsed = value_from_json(out, *found);
  if (!parsed) return at.mistake(parsed.error().message);
  out.default_value = std::move(*parsed);
  out.form = form;
  return {};
}

namespace {

struct CatalogMessage {
  std::vector<WorkloadDef> workloads;
  static void visit(auto& self, auto&& field) { field("workloads", self.workloads, ""); }
};

}  // namespace

nlohmann::json to_json(const WorkloadDef& def) {
  return members_to_message(def);
}

Result<void> read_message(const nlohmann::json& value, WorkloadDef& out, const JsonPath& path) {
  return members_from_message(value, out, path);
}

nlohmann::json to_json(const Catalog& catalog) {
  CatalogMessage message{catalog.workloads};
  for (WorkloadDef& def : catalog.programs->all()) message.workloads.push_back(std::move(def));
  return to_message(message);
}

Result<Catalog> catalog_from_json(const nlohmann::json& json) {
  CatalogMessage message;
  if (const auto read = from_message(json, message); !read) {
    return Error{ErrorCode::kInvalidArgument, "catalog: " + read.error().message};
  }
  return Catalog{std::move(message.workloads)};
}

nlohmann::json to_json(const ParamDef& def, const Value& value) {
  if (def.type == ValueType::kBytes || def.type == ValueType::kDuration) return def.text(value);
  return std::visit([](const auto& plain) { return nlohmann::json(plain); }, value);
}

Result<Value> value_from_json(const ParamDef& def, const nlohmann::json& json) {
  // Goes through the canonical text, so that files, command lines and JSON get the same checks.
  if (json.is_string()) return def.parse(json.get_ref<const std::string&>());
  if (json.is_boolean()) return def.parse(json.get<bool>() ? "true" : "false");
  if (json.is_number_integer()) return def.parse(to_json_line(json));
  if (json.is_number_float()) return def.parse(to_text(json.get<double>()));
  return Error{ErrorCode::kInvalidArgument, def.name + ": " + not_a(name_of(def.type), json)};
}

}  // namespace sweepd
