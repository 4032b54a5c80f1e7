// Reads JSON that programs write, with what most of them add to the standard: NaN, Infinity and
// -Infinity (Python, Google Benchmark), and other output around a document. Pure.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace sweepd::command {

struct JsonText {
  nlohmann::ordered_json value;  // discarded (is_discarded) if the text is not JSON
  std::size_t mistake_at = 0;    // offset in the text
  std::string mistake;           // "unexpected end of input; expected ']'"
};

// Numbers that are not finite become the texts "nan", "inf" and "-inf". Ask is_nested_too_deeply
// before.
JsonText parse_json(std::string_view text);

// A number, or one of those texts.
std::optional<double> number_in_json(const nlohmann::ordered_json& value);

// "line 3, column 14", from 1.
std::string place_in_text(std::string_view text, std::size_t at);

// Reads the object in a file, or in all of a program's output: it begins at the first line that
// begins with `{`, else at the first `{`, and what is before it and behind its end is skipped.
// Throws std::runtime_error "reports: FORMAT: its report is not JSON: line 3, column 14: ...".
nlohmann::ordered_json parse_json_report(std::string_view format, std::string_view text);

}  // namespace sweepd::command
