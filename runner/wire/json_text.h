// Converts JSON from and to text. Compiled once: nlohmann's parser and serializer are templates
// that every calling file would compile again, which takes a quarter of its time.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace sweepd {

// Returns a discarded value (`is_discarded()`) if the text is not valid JSON, or nested more than
// kMaxNesting levels deep (runner/base/nesting.h).
nlohmann::json parse_json(std::string_view text);
nlohmann::ordered_json parse_ordered_json(std::string_view text);
// Names the reason for a discarded text.
std::string why_discarded(std::string_view text);

// Returns one line without its end and never throws: bytes that are not UTF-8 (an exception's
// message, a path, a person's text) become U+FFFD.
std::string to_json_line(const nlohmann::json& json);
std::string to_json_line(const nlohmann::ordered_json& json);

// The same, indented by two spaces a level.
std::string to_indented_json(const nlohmann::json& json);
std::string to_indented_json(const nlohmann::ordered_json& json);

}  // namespace sweepd
