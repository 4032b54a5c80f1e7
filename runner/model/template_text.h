// Texts that a workload fills in for each trial: a command line, assignments, a path. What is wrong
// with one is known as soon as it is written down, by whoever knows the names, so that the daemon
// says it at `submit` and the worker need not.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/base/result.h"

namespace sweepd {

// What the text of a parameter is. In all but the first and the last {name} is a value, and {{ and
// }} are braces.
enum class TextForm {
  kPlain,
  kTemplate,     // as it stands
  kCommandLine,  // words, at least one
  kAssignments,  // words, each NAME=value
  kNames,        // words, each the name of an environment variable
};
std::string_view name_of(TextForm form);
Result<TextForm> text_form_from(std::string_view name);

// Words between spaces, tabs and newlines. 'single' and "double" quotes hold words together, a
// backslash takes the next character as it is (not in single quotes). Values come in later, so that
// one with spaces stays in its word. An error where a quote has no end.
Result<std::vector<std::string>> cut_words(std::string_view text);

// The text with each {name} replaced by what `value_of` says. An error is the first of its, or that
// a brace has no partner.
Result<std::string> fill_template(
    std::string_view text, const std::function<Result<std::string>(std::string_view)>& value_of);

// The names in a text's braces, each once, in order. Errors: what is wrong with a text of this form
// whose braces may hold `known`; no more than one is found at a time.
Result<std::vector<std::string>> names_in_text(std::string_view text, TextForm form,
                                               const std::vector<std::string>& known);

}  // namespace sweepd
