#include "runner/wire/json_text.h"

namespace sweepd {
namespace {

template <class Json>
std::string text_of(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

nlohmann::json parse_json(std::string_view text) {
  return nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
}
nlohmann::ordered_json parse_ordered_json(std::string_view text) {
  return nlohmann::ordered_json::parse(text, nullptr, /*allow_exceptions=*/false);
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
