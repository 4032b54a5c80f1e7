#include "runner/model/template_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "runner/base/text.h"

namespace sweepd {
namespace {

constexpr std::array<std::pair<TextForm, std::string_view>, 6> kForms{
    {{TextForm::kPlain, "plain"},
     {TextForm::kTemplate, "template"},
     {TextForm::kCommandLine, "command_line"},
     {TextForm::kAssignments, "assignments"},
     {TextForm::kNames, "names"},
     {TextForm::kWords, "words"}}};

Error mistake(std::string message) {
  return {ErrorCode::kInvalidArgument, std::move(message)};
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

Result<std::string> fill_template(
    std::string_view text, const std::function<Result<std::string>(std::string_view)>& value_of) {
  std::string filled;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c != '{' && c != '}') {
      filled += c;
    } else if (i + 1 < text.size() && text[i + 1] == c) {
      filled += text[i++];
    } else {
      const std::size_t end = c == '{' ? text.find('}', i) : std::string_view::npos;
      if (end == std::string_view::npos) {
        return mistake(fmt::format("a {} has no matching brace in `{}`; write {}{} for a brace", c,
                                   text, c, c));
      }
      auto value = value_of(text.substr(i + 1, end - i - 1));
      if (!value) return value;
      filled += *value;
      i = end;
    }
  }
  return filled;
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
    if (form == TextForm::kNames) continue;
    if (auto filled = fill_template(word, take); !filled) return filled.error();
  }
  return names;
}

}  // namespace sweepd
