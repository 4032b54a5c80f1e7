// Texts that a workload fills in for each trial: a command line, assignments, a path. They can be
// checked by whoever knows the names, so the daemon reports mistakes at `submit` and the worker
// need not.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/base/result.h"

namespace sweepd {

// What kind of text a parameter is. In all but kPlain and kNames, {name} is a value, and {{ and }}
// are braces.
enum class TextForm {
  kPlain,
  kTemplate,     // one text, not split
  kCommandLine,  // words, at least one
  kAssignments,  // words, each NAME=value
  kNames,        // words, each the name of an environment variable
  kWords,        // words, any number of them
};
std::string_view name_of(TextForm form);
Result<TextForm> text_form_from(std::string_view name);

// Splits words at spaces, tabs and newlines. 'single' and "double" quotes hold words together;
// outside single quotes a backslash takes the next character literally. Values are inserted later,
// so a value with spaces stays in its word. An unterminated quote is an error.
Result<std::vector<std::string>> cut_words(std::string_view text);

// Returns the text with each {name} replaced by what `value_of` returns. Errors: the first one of
// `value_of`, or an unmatched brace.
Result<std::string> fill_template(
    std::string_view text, const std::function<Result<std::string>(std::string_view)>& value_of);

// Returns the names in a text's braces, each once, in order. Checks the text as one of this form
// whose braces may contain `known`, and reports the first mistake.
Result<std::vector<std::string>> names_in_text(std::string_view text, TextForm form,
                                               const std::vector<std::string>& known);

}  // namespace sweepd
