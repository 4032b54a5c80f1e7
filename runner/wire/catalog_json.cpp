#include "runner/wire/catalog_json.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <type_traits>

#include "runner/wire/json_reader.h"

namespace sweepd {
namespace {

using Json = nlohmann::json;
using Reader = JsonReader<Json>;

// In the order of InCaption.
constexpr std::array<std::string_view, 3> kCaptions{"if_set", "always", "never"};
// In the order of ParamRole.
constexpr std::array<std::string_view, 3> kRoles{"identity", "scheduling", "place"};

Json to_json(const ParamDef& def) {
  Json json = {{"name", def.name},
               {"type", name_of(def.type)},
               {"default", to_json(def, def.default_value)},
               {"help", def.help},
               {"role", kRoles[static_cast<std::size_t>(def.role)]},
               {"run_param", def.run_param}};
  if (def.type == ValueType::kChoice) json["choices"] = def.choices;
  if (def.minimum) json["minimum"] = *def.minimum;
  if (def.maximum) json["maximum"] = *def.maximum;
  if (def.form != TextForm::kPlain) json["form"] = name_of(def.form);
  if (!def.template_names.empty()) json["template_names"] = def.template_names;
  if (def.computed) json["computed"] = true;
  if (def.declared) json["declared"] = true;
  if (!def.unit.empty()) json["unit"] = def.unit;
  if (def.grows_memory) json["grows_memory"] = true;
  if (def.in_caption != InCaption::kIfSet) {
    json["in_caption"] = kCaptions[static_cast<std::size_t>(def.in_caption)];
  }
  return json;
}

Json to_json(const MetricDef& def) {
  return {
      {"name", def.name}, {"unit", def.unit}, {"better", name_of(def.better)}, {"help", def.help}};
}

void read_metric(Reader& reader, MetricDef& def) {
  std::string better;
  reader.required("name", def.name);
  reader.optional("unit", def.unit);
  reader.optional("better", better);
  reader.optional("help", def.help);
  for (const Better each : {Better::kSmaller, Better::kLarger}) {
    if (better == name_of(each)) def.better = each;
  }
}

void read_param(Reader& reader, ParamDef& def) {
  std::string type, role, in_caption(kCaptions.front());
  reader.required("name", def.name);
  reader.required("type", type);
  reader.required("help", def.help);
  reader.required("role", role);
  reader.required("run_param", def.run_param);
  reader.optional("choices", def.choices);
  reader.optional("minimum", def.minimum);
  reader.optional("maximum", def.maximum);
  std::string form(name_of(TextForm::kPlain));
  reader.optional("form", form);
  reader.optional("template_names", def.template_names);
  reader.optional("computed", def.computed);
  reader.optional("declared", def.declared);
  reader.optional("unit", def.unit);
  reader.optional("grows_memory", def.grows_memory);
  reader.optional("in_caption", in_caption);
  const auto known_caption = std::find(kCaptions.begin(), kCaptions.end(), in_caption);
  if (known_caption == kCaptions.end()) {
    return reader.fail(reader.path_to("in_caption"),
                       "expected `if_set`, `always` or `never`, got `" + in_caption + "`");
  }
  def.in_caption = static_cast<InCaption>(known_caption - kCaptions.begin());
  if (!reader.result()) return;
  const auto known_form = text_form_from(form);
  if (!known_form) return reader.fail(reader.path_to("form"), known_form.error().message);
  const auto known = value_type_from(type);
  if (!known) return reader.fail(reader.path_to("type"), known.error().message);
  def.type = *known;
  const auto known_role = std::find(kRoles.begin(), kRoles.end(), role);
  if (known_role == kRoles.end()) {
    return reader.fail(reader.path_to("role"),
                       "expected `identity`, `scheduling` or `place`, got `" + role + "`");
  }
  def.role = static_cast<ParamRole>(known_role - kRoles.begin());
  const Json* value = reader.find("default");
  if (value == nullptr) return reader.fail(reader.path_to("default"), "missing");
  auto parsed = value_from_json(def, *value);
  if (!parsed) return reader.fail(reader.path_to("default"), parsed.error().message);
  def.default_value = std::move(*parsed);
  def.form = *known_form;  // set last, because the default of a command line is no command line
}

void read_workload(Reader& reader, WorkloadDef& def) {
  reader.required("name", def.name);
  reader.required("version", def.version);
  reader.required("help", def.help);
  reader.required("passes", def.passes);
  reader.required("phases", def.phases);
  reader.optional("analytic", def.analytic);
  reader.optional("code", def.code);
  reader.optional("base", def.base);
  reader.each("params", [&](Reader& param) { read_param(param, def.params.emplace_back()); });
  if (reader.find("metrics") == nullptr) return;
  reader.each("metrics", [&](Reader& metric) { read_metric(metric, def.metrics.emplace_back()); });
}

}  // namespace

Json to_json(const WorkloadDef& def) {
  Json params = Json::array();
  for (const ParamDef& param : def.params) params.push_back(to_json(param));
  Json json = {{"name", def.name},     {"version", def.version},     {"help", def.help},
               {"passes", def.passes}, {"phases", def.phases},       {"analytic", def.analytic},
               {"code", def.code},     {"params", std::move(params)}};
  if (def.base.empty()) return json;
  json["base"] = def.base;
  json["metrics"] = Json::array();
  for (const MetricDef& metric : def.metrics) json["metrics"].push_back(to_json(metric));
  return json;
}

Json to_json(const Catalog& catalog) {
  Json workloads = Json::array();
  for (const WorkloadDef& def : catalog.workloads) workloads.push_back(to_json(def));
  for (const WorkloadDef& def : catalog.programs->all()) workloads.push_back(to_json(def));
  return {{"workloads", std::move(workloads)}};
}

Result<WorkloadDef> workload_from_json(const Json& json) {
  WorkloadDef def;
  Reader reader(json);
  read_workload(reader, def);
  if (const auto read = reader.result(); !read) return read.error();
  return def;
}

Result<Catalog> catalog_from_json(const Json& json) {
  Catalog catalog;
  Reader reader(json);
  reader.each("workloads",
              [&](Reader& workload) { read_workload(workload, catalog.workloads.emplace_back()); });
  if (const auto read = reader.result(); !read) {
    return Error{ErrorCode::kInvalidArgument, "catalog: " + read.error().message};
  }
  return catalog;
}

Json to_json(const ParamDef& def, const Value& value) {
  if (def.type == ValueType::kBytes || def.type == ValueType::kDuration) return def.text(value);
  return std::visit([](const auto& plain) { return Json(plain); }, value);
}

Result<Value> value_from_json(const ParamDef& def, const Json& json) {
  // Goes through the canonical text, so that files, command lines and JSON get the same checks.
  if (json.is_string()) return def.parse(json.get_ref<const std::string&>());
  if (json.is_boolean()) return def.parse(json.get<bool>() ? "true" : "false");
  if (json.is_number_integer()) return def.parse(to_json_line(json));
  if (json.is_number_float()) return def.parse(to_text(json.get<double>()));
  return Error{
      ErrorCode::kInvalidArgument,
      def.name + ": expected " + std::string(name_of(def.type)) + ", got " + Reader::excerpt(json)};
}

}  // namespace sweepd
