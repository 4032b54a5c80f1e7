#include "workloads/command/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "runner/base/text.h"
#include "runner/model/vocabulary/template_text.h"

namespace sweepd::command {
namespace {

template <class T>
T or_throw(Result<T> result, std::string_view what) {
  if (result) return std::move(*result);
  throw std::invalid_argument(fmt::format("{}: {}", what, result.error().message));
}

Error wrong(std::string message) {
  return {ErrorCode::kInvalidArgument, std::move(message)};
}

struct ValueOfVariable {
  const std::vector<Variable>& variables;

  Result<std::string> operator()(std::string_view name) const {
    const auto found = std::ranges::find(variables, name, &Variable::name);
    if (found == variables.end()) {
      std::vector<std::string> names;
      for (const Variable& variable : variables) names.push_back(variable.name);
      return wrong(fmt::format("{{{}}} is not a parameter{}; write {{{{ for a brace", name,
                               did_you_mean(name, names)));
    }
    if (found->given) return found->value;
    return wrong(fmt::format("{{{}}} has no value here", name));
  }
};

}  // namespace

std::vector<std::string> split_words(std::string_view text, std::string_view what) {
  return or_throw(cut_words(text), what);
}

std::string substitute(std::string_view word, const std::vector<Variable>& variables,
                       std::string_view what) {
  return or_throw(fill_template(word, ValueOfVariable{variables}), what);
}

std::vector<std::string> substitute_words(std::string_view word,
                                          const std::vector<Variable>& variables,
                                          std::string_view what) {
  return or_throw(fill_word(word, ValueOfVariable{variables}), what);
}

}  // namespace sweepd::command
