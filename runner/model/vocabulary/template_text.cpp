#include "runner/model/vocabulary/template_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>

#include "runner/base/text.h"
#include "runner/base/units.h"

namespace sweepd {
namespace {

constexpr std::array<std::pair<TextForm, std::string_view>, 7> kForms{
    {{TextForm::kPlain, "plain"},
     {TextForm::kTemplate, "template"},
     {TextForm::kCommandLine, "command_line"},
     {TextForm::kAssignments, "assignments"},
     {TextForm::kNames, "names"},
     {TextForm::kWords, "words"},
     {TextForm::kList, "list"}}};

Error mistake(std::string message) {
  return {ErrorCode::kInvalidArgument, std::move(message)};
}

Error no_word(std::string_view text) {
  return mistake(fmt::format(
      "`{}` repeats for each item of a list, and only a word of a command line does; write a comma "
      "for the star to have all items in it",
      text));
}

bool is_variable_name(std::string_view text) {
  const auto fits = [](char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)); };
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 &&
         std::all_of(text.begin(), text.end(), fits);
}

bool sounds_secret(std::string word) {
  for (char& c : word) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  constexpr std::array<std::string_view, 6> kWords{"TOKEN",  "SECRET",     "PASSWORD",
                                                   "PASSWD", "CREDENTIAL", "API_KEY"};
  return std::ranges::any_of(kWords,
                             [&](auto part) { return word.find(part) != std::string::npos; });
}

// The forms between braces: `size`, `size=8?TEXT`, `size!8?TEXT`, `sizes,` or `sizes*`.
struct Braced {
  std::string_view name;
  char sign = 0;
  std::string_view value, text;  // of a condition

  bool is_condition() const { return sign == '=' || sign == '!'; }
  bool holds(std::string_view is) const { return (is == value) == (sign == '='); }
};

Result<Braced> read_braced(std::string_view inside) {
  const std::size_t end = inside.find_first_of("=!*,");
  if (end == std::string_view::npos) return Braced{inside, 0, {}, {}};
  Braced braced{inside.substr(0, end), inside[end], {}, {}};
  const std::string_view rest = inside.substr(end + 1);
  if (!braced.is_condition()) {
    if (rest.empty()) return braced;
    return mistake(fmt::format("{{{}}} goes on behind the {}", inside, braced.sign));
  }
  const std::size_t question = rest.find('?');
  if (question == std::string_view::npos) {
    return mistake(fmt::format("{{{}}} is a condition without a text; expected {{{}{}VALUE?TEXT}}",
                               inside, braced.name, braced.sign));
  }
  braced.value = rest.substr(0, question);
  braced.text = rest.substr(question + 1);
  return braced;
}

// The place of the brace that ends the one at `begin`; npos: there is none.
std::size_t end_of_braces(std::string_view text, std::size_t begin) {
  int depth = 0;
  for (std::size_t i = begin; i < text.size(); ++i) {
    if (text[i] == '{') ++depth;
    if (text[i] == '}' && --depth == 0) return i;
  }
  return std::string_view::npos;
}

using AskedValue = std::function<Result<std::string>(std::string_view)>;

// Fills a text for one item of the list in it, if there is one.
class Filler {
 public:
  // With `every_case` it asks for all names, also of conditions that do not hold.
  explicit Filler(const AskedValue& value_of, bool every_case = false)
      : value_of_(value_of), every_case_(every_case) {}

  std::size_t item = 0;
  std::optional<std::vector<std::string>> items;  // of {name*}, once found

  Result<std::string> fill(std::string_view text) {
    std::string filled;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (c != '{' && c != '}') {
        filled += c;
      } else if (i + 1 < text.size() && text[i + 1] == c) {
        filled += text[i++];
      } else {
        const std::size_t end = c == '{' ? end_of_braces(text, i) : std::string_view::npos;
        if (end == std::string_view::npos) {
          return mistake(fmt::format("a {} has no matching brace in `{}`; write {}{} for a brace",
                                     c, text, c, c));
        }
        auto value = value_in(text.substr(i + 1, end - i - 1));
        if (!value) return value;
        filled += *value;
        i = end;
      }
    }
    return filled;
  }

 private:
  Result<std::string> value_in(std::string_view inside) {
    const auto braced = read_braced(inside);
    if (!braced) return braced.error();
    auto value = value_of_(braced->name);
    if (!value || braced->sign == 0) return value;
    if (braced->is_condition()) {
      if (!every_case_ && !braced->holds(*value)) return std::string();
      return fill(braced->text);
    }
    auto words = cut_words(*value);
    if (!words) return words.error();
    if (braced->sign == ',') return join(*words, ",");
    if (items && list_ != braced->name) {
      return mistake(fmt::format("{{{}}} is the second list of one word", inside));
    }
    list_ = braced->name;
    items = std::move(*words);
    return item < items->size() ? (*items)[item] : std::string();
  }

  const AskedValue& value_of_;
  bool every_case_;
  std::string list_;
};

Result<void> check_word(const std::string& word, TextForm form) {
  if (form == TextForm::kAssignments) {
    const std::size_t equal = word.find('=');
    if (equal == 0 || (equal == std::string::npos && !is_variable_name(word))) {
      return mistake(fmt::format("`{}` is not an assignment; expected NAME=value, or NAME", word));
    }
    if (equal == std::string::npos && sounds_secret(word)) {
      return mistake(fmt::format(
          "`{}` sounds like a secret, and values of `env` are stored; name it in `secrets`", word));
    }
  }
  if (form == TextForm::kNames && !is_variable_name(word)) {
    return mistake(fmt::format("`{}` is not the name of an environment variable", word));
  }
  return {};
}

}  // namespace

std::string_view name_of(TextForm form) {
  return kForms[static_cast<std::size_t>(form)].second;
}

Result<TextForm> text_form_from(std::string_view name) {
  for (const auto& [form, own] : kForms) {
    if (own == name) return form;
  }
  return mistake(fmt::format("`{}` is not a text form", name));
}

Result<std::vector<std::string>> cut_words(std::string_view text) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == 0 && std::isspace(static_cast<unsigned char>(c)) != 0) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      words.back() += text[++i];
    } else {
      words.back() += c;
    }
  }
  if (quote != 0) return mistake(fmt::format("a {} is not closed in `{}`", quote, text));
  return words;
}

std::string as_word(std::string_view text) {
  if (text.empty()) return "''";
  std::string word;
  for (const char c : text) {
    const bool ends = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (ends || c == '\'' || c == '"' || c == '\\') word += '\\';
    word += c;
  }
  return word;
}

Result<std::string> fill_template(
    std::string_view text, const std::function<Result<std::string>(std::string_view)>& value_of) {
  Filler filler(value_of);
  auto filled = filler.fill(text);
  if (filled && filler.items) return no_word(text);
  return filled;
}

Result<std::vector<std::string>> fill_word(
    std::string_view word, const std::function<Result<std::string>(std::string_view)>& value_of) {
  const bool one =
      word.starts_with('{') && !word.starts_with("{{") && end_of_braces(word, 0) == word.size() - 1;
  if (one) {
    const auto braced = read_braced(word.substr(1, word.size() - 2));
    if (braced && braced->is_condition()) {
      const auto value = value_of(braced->name);
      if (!value) return value.error();
      if (!braced->holds(*value)) return std::vector<std::string>();
      return fill_word(braced->text, value_of);
    }
  }
  std::vector<std::string> words;
  for (Filler filler(value_of);; ++filler.item) {
    auto filled = filler.fill(word);
    if (!filled) return filled.error();
    if (!filler.items) return std::vector<std::string>{std::move(*filled)};
    if (filler.item >= filler.items->size()) return words;
    words.push_back(std::move(*filled));
  }
}

std::string text_in_template(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
  if (const auto* boolean = std::get_if<bool>(&value)) return *boolean ? "true" : "false";
  const auto* real = std::get_if<double>(&value);
  if (real == nullptr) return std::get<std::string>(value);
  std::string text = to_text(*real);
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

Result<std::vector<std::string>> names_in_text(std::string_view text, TextForm form,
                                               const std::vector<std::string>& known) {
  std::vector<std::string> names;
  if (form == TextForm::kPlain) return names;
  std::vector<std::string> words{std::string(text)};
  if (form != TextForm::kTemplate) {
    auto cut = cut_words(text);
    if (!cut) return cut;
    words = std::move(*cut);
  }
  if (form == TextForm::kCommandLine && words.empty()) {
    return mistake("a command needs a program, such as `echo {context}`");
  }
  const auto take = [&](std::string_view name) -> Result<std::string> {
    const std::string own(name);
    if (std::find(known.begin(), known.end(), own) == known.end()) {
      return mistake(fmt::format("{{{}}} is not a parameter{}; write {{{{ for a brace", own,
                                 did_you_mean(own, known)));
    }
    if (std::find(names.begin(), names.end(), own) == names.end()) names.push_back(own);
    return std::string();
  };
  for (const std::string& word : words) {
    if (auto sound = check_word(word, form); !sound) return sound.error();
    if (form == TextForm::kNames || form == TextForm::kList) continue;
    const AskedValue value_of = take;
    Filler filler(value_of, /*every_case=*/true);
    if (auto filled = filler.fill(word); !filled) return filled.error();
    const bool repeats = form == TextForm::kCommandLine || form == TextForm::kWords;
    if (filler.items && !repeats) return no_word(word);
  }
  return names;
}

}  // namespace sweepd
