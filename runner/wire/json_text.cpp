#include "runner/wire/json_text.h"

#include "runner/base/nesting.h"

namespace sweepd {
namespace {

template <class Json>
Json read_text(std::string_view text) {
  if (is_nested_too_deeply(text)) return Json(Json::value_t::discarded);
  return Json::parse(text, nullptr, /*allow_exceptions=*/false);
}

template <class Json>
std::string text_of(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

nlohmann::json parse_json(std::string_view text) {
  return read_text<nlohmann::json>(text);
}
nlohmann::ordered_json parse_ordered_json(std::string_view text) {
  return read_text<nlohmann::ordered_json>(text);
}
std::string why_discarded(std::string_view text) {
  return is_nested_too_deeply(text) ? nested_too_deeply() : "not valid JSON";
}

std::string to_json_line(const nlohmann::json& json) {
  return text_of(json, -1);
}
std::string to_json_line(const nlohmann::ordered_json& json) {
  return text_of(json, -1);
}

std::string to_indented_json(const nlohmann::json& json) {
  return text_of(json, 2);
}
std::string to_indented_json(const nlohmann::ordered_json& json) {
  return text_of(json, 2);
}

}  // namespace sweepd
