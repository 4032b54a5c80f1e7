// JSON from text and to text. Compiled once, since nlohmann's parser and serializer are templates
// that every file which calls them compiles again: a quarter of its time.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace sweepd {

// A discarded value (`is_discarded()`) when the text is not valid JSON.
nlohmann::json parse_json(std::string_view text);
nlohmann::ordered_json parse_ordered_json(std::string_view text);

// One line without its end, never throwing: bytes that are not UTF-8 (an exception's message, a
// path, what a person wrote) become U+FFFD.
std::string to_json_line(const nlohmann::json& json);
std::string to_json_line(const nlohmann::ordered_json& json);

// The same, indented by two spaces a level.
std::string to_indented_json(const nlohmann::json& json);
std::string to_indented_json(const nlohmann::ordered_json& json);

}  // namespace sweepd
