#include "workloads/command/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "runner/base/text.h"
#include "runner/model/template_text.h"

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

}  // namespace

std::vector<std::string> split_words(std::string_view text, std::string_view what) {
  return or_throw(cut_words(text), what);
}

std::string substitute(std::string_view word, const std::vector<Variable>& variables,
                       std::string_view what) {
  const auto value_of = [&](std::string_view name) -> Result<std::string> {
    const auto found = std::find_if(variables.begin(), variables.end(),
                                    [name](const Variable& v) { return v.name == name; });
    if (found == variables.end()) {
      std::vector<std::string> names;
      for (const Variable& variable : variables) names.push_back(variable.name);
      return wrong(fmt::format("{{{}}} is not a parameter{}; write {{{{ for a brace", name,
                               did_you_mean(name, names)));
    }
    if (found->given) return found->value;
    return wrong(fmt::format("{{{}}} has no value here", name));
  };
  return or_throw(fill_template(word, value_of), what);
}

}  // namespace sweepd::command
