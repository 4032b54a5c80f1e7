// Texts that a workload fills in for each trial: a command line, assignments, a path. A check needs
// only the names, so the daemon reports mistakes at `submit`.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/base/result.h"
#include "runner/model/vocabulary/value.h"

namespace sweepd {

// How a parameter's text is read. All but kPlain, kNames and kList are templates:
//
//   {name}              the value
//   {name=VALUE?TEXT}   TEXT, a template as well, where the value is VALUE, and nothing elsewhere
//   {name!VALUE?TEXT}   TEXT where it is another
//   {name,}             the items of a list, with commas between
//   {name*}             repeats the word for each item
//   {{ }}               braces
enum class TextForm {
  kPlain,
  kTemplate,     // one text, not split
  kCommandLine,  // words, at least one
  kAssignments,  // words, each NAME=value
  kNames,        // words, each the name of an environment variable
  kWords,        // words, any number of them
  kList,         // words that are the items of a list; no template
};
std::string_view name_of(TextForm form);
Result<TextForm> text_form_from(std::string_view name);

// Splits words at spaces, tabs and newlines. 'single' and "double" quotes hold words together;
// outside single quotes a backslash takes the next character literally. Values are inserted later,
// so a value with spaces stays in its word. An unterminated quote is an error.
Result<std::vector<std::string>> cut_words(std::string_view text);

// Returns the text as one of such words: characters that end or open a word get a backslash.
std::string as_word(std::string_view text);

// Returns the text with each pair of braces replaced by the value that `value_of` returns.
// Errors: the first one of `value_of`, an unmatched brace, {name*}.
Result<std::string> fill_template(
    std::string_view text, const std::function<Result<std::string>(std::string_view)>& value_of);
// The same for a word of a command line, which may be several with {name*}, and is none for a false
// condition alone.
Result<std::vector<std::string>> fill_word(
    std::string_view word, const std::function<Result<std::string>(std::string_view)>& value_of);

// The value as a template inserts it: bytes as a number. A real stays one, since programs that
// read the type from the text, as nanoGPT does, refuse 0 for 0.0.
std::string text_in_template(const Value& value);

// Returns the names in a text's braces, each once, in order. Checks the text as one of this form
// whose braces may contain `known`, and reports the first mistake.
Result<std::vector<std::string>> names_in_text(std::string_view text, TextForm form,
                                               const std::vector<std::string>& known);

}  // namespace sweepd
