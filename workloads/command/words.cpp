#include "workloads/command/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <stdexcept>

#include "runner/base/text.h"

namespace sweepd::command {
namespace {

const std::string& value_of(std::string_view name, const std::vector<Variable>& variables,
                            std::string_view what) {
  const auto found = std::find_if(variables.begin(), variables.end(),
                                  [name](const Variable& v) { return v.name == name; });
  if (found == variables.end()) {
    std::vector<std::string> names;
    for (const Variable& variable : variables) names.push_back(variable.name);
    throw std::invalid_argument(fmt::format("{}: {{{}}} is no parameter{}; {{{{ is a brace", what,
                                            name, did_you_mean(name, names)));
  }
  if (!found->given) {
    throw std::invalid_argument(
        fmt::format("{}: {{{}}} is used, but this trial does not set `{}`", what, name, name));
  }
  return found->value;
}

}  // namespace

std::vector<std::string> split_words(std::string_view text, std::string_view what) {
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
  if (quote != 0) {
    throw std::invalid_argument(fmt::format("{}: a {} has no end in `{}`", what, quote, text));
  }
  return words;
}

std::string substitute(std::string_view word, const std::vector<Variable>& variables,
                       std::string_view what) {
  std::string text;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const char c = word[i];
    if (c != '{' && c != '}') {
      text += c;
    } else if (i + 1 < word.size() && word[i + 1] == c) {
      text += word[i++];
    } else {
      const std::size_t end = c == '{' ? word.find('}', i) : std::string_view::npos;
      if (end == std::string_view::npos) {
        throw std::invalid_argument(
            fmt::format("{}: a {} has no partner in `{}`; {}{} is a brace", what, c, word, c, c));
      }
      text += value_of(word.substr(i + 1, end - i - 1), variables, what);
      i = end;
    }
  }
  return text;
}

}  // namespace sweepd::command
