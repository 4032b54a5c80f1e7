#include "workloads/command/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

#include "runner/base/nesting.h"
#include "workloads/command/format_parts.h"

namespace sweepd::command {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kNotFinite{{
    {"NaN", "\"nan\""},
    {"-NaN", "\"nan\""},
    {"Infinity", "\"inf\""},
    {"-Infinity", "\"-inf\""},
}};

// Follows a text character by character and knows whether the next one is inside of a JSON string.
class StringTracker {
 public:
  bool inside() const { return inside_; }
  void take(char c) {
    if (inside_ && c == '\\' && !escaped_) {
      escaped_ = true;
      return;
    }
    if (c == '"' && !escaped_) inside_ = !inside_;
    escaped_ = false;
  }

 private:
  bool inside_ = false, escaped_ = false;
};

// Standard JSON, and where its characters are in the original.
class StandardJson {
 public:
  explicit StandardJson(std::string_view original) {
    StringTracker strings;
    for (std::size_t at = 0; at < original.size();) {
      const auto [theirs, ours] = strings.inside() ? kNothing : word_at(original.substr(at));
      if (!theirs.empty()) {
        text_ += ours;
        at += theirs.size();
        words_.push_back({text_.size(), at});
        continue;
      }
      strings.take(original[at]);
      text_ += original[at++];
    }
  }

  const std::string& text() const { return text_; }
  std::size_t in_original(std::size_t at) const {
    const auto behind = std::ranges::upper_bound(words_, at, {}, &Ends::here);
    return behind == words_.begin() ? at
                                    : std::prev(behind)->there + (at - std::prev(behind)->here);
  }

 private:
  using Words = std::pair<std::string_view, std::string_view>;
  static constexpr Words kNothing{};

  static Words word_at(std::string_view text) {
    const auto found = std::ranges::find_if(
        kNotFinite, [&](const Words& words) { return text.starts_with(words.first); });
    return found == kNotFinite.end() ? kNothing : *found;
  }

  struct Ends {
    std::size_t here, there;  // where a replaced word ends
  };
  std::string text_;
  std::vector<Ends> words_;
};

// "[json.exception.parse_error.101] parse error at line 1, column 9: syntax error while parsing
// object - unexpected '}'; expected string literal" without what comes before the last dash.
std::string short_reason(std::string_view what) {
  constexpr std::string_view kDash = " - ", kRead = "; last read";
  const std::size_t dash = what.find(kDash);
  if (dash != std::string_view::npos) what.remove_prefix(dash + kDash.size());
  const std::size_t read = what.find(kRead);
  if (read == std::string_view::npos) return std::string(what);
  const std::size_t more = what.find("; expected", read);
  return std::string(what.substr(0, read)) +
         std::string(more == std::string_view::npos ? "" : what.substr(more));
}

// Where the document begins; npos if it does not.
std::size_t document_begin(std::string_view text) {
  for (std::size_t line = 0; line < text.size();) {
    const std::size_t first = text.find_first_not_of(" \t\r\n", line);
    if (first == std::string_view::npos) break;
    if (text[first] == '{') return first;
    const std::size_t end = text.find('\n', first);
    if (end == std::string_view::npos) break;
    line = end + 1;
  }
  return text.find('{');
}

// Behind the bracket that closes the first one; the text's size if there is none.
std::size_t document_end(std::string_view text) {
  StringTracker strings;
  int open = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!strings.inside() && text[at] == '{') ++open;
    if (!strings.inside() && text[at] == '}' && --open == 0) return at + 1;
    strings.take(text[at]);
  }
  return text.size();
}

}  // namespace

JsonText parse_json(std::string_view text) {
  const StandardJson standard(text);
  JsonText parsed;
  try {
    parsed.value = Json::parse(standard.text());
  } catch (const Json::parse_error& error) {
    parsed.value = Json(Json::value_t::discarded);
    parsed.mistake_at =
        std::min(text.size(), standard.in_original(error.byte > 0 ? error.byte - 1 : 0));
    parsed.mistake = short_reason(error.what());
  } catch (const Json::exception&) {  // of a number
    parsed.value = Json(Json::value_t::discarded);
    parsed.mistake = "a number is too large";
  }
  return parsed;
}

std::optional<double> number_in_json(const nlohmann::ordered_json& value) {
  if (value.is_number()) return value.get<double>();
  if (value == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (value == "inf") return std::numeric_limits<double>::infinity();
  if (value == "-inf") return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

std::string place_in_text(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const std::size_t line_begin = before.rfind('\n');
  const std::size_t column = line_begin == std::string_view::npos ? at : at - line_begin - 1;
  return fmt::format("line {}, column {}", std::ranges::count(before, '\n') + 1, column + 1);
}

nlohmann::ordered_json parse_json_report(std::string_view format, std::string_view text) {
  const std::size_t begin = document_begin(text);
  std::string_view document = begin == std::string_view::npos ? text : text.substr(begin);
  if (is_nested_too_deeply(document)) {
    refuse_report(format, "its report is " + nested_too_deeply());
  }
  if (begin == std::string_view::npos) {
    refuse_report(format, "its report is not JSON: there is no `{` in it");
  }
  document = document.substr(0, document_end(document));
  JsonText parsed = parse_json(document);
  if (parsed.value.is_discarded()) {
    refuse_report(format,
                  fmt::format("its report is not JSON: {}: {}",
                              place_in_text(text, begin + parsed.mistake_at), parsed.mistake));
  }
  return std::move(parsed.value);
}

}  // namespace sweepd::command
