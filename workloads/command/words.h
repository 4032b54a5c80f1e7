// Command lines without a shell: the text is split into words first, and parameters are then
// inserted into each word. A value with spaces thus stays one argument, and nothing in it is
// interpreted.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sweepd::command {

// Splits words at spaces, tabs and newlines. 'single' and "double" quotes hold words together;
// outside single quotes a backslash takes the next character literally. Throws
// std::invalid_argument naming `what` if a quote is not closed.
std::vector<std::string> split_words(std::string_view text, std::string_view what);

struct Variable {
  std::string name;
  std::string value;
  bool given = true;  // false: it has no value here, as {folder} before an attempt
};

// Inserts the variables' values into "--context={context}" (model/vocabulary/template_text.h).
// Throws std::invalid_argument naming `what` and the variable that is unknown or not given.
std::string substitute(std::string_view word, const std::vector<Variable>& variables,
                       std::string_view what);
// The same for a word of a command line, which may become several or none.
std::vector<std::string> substitute_words(std::string_view word,
                                          const std::vector<Variable>& variables,
                                          std::string_view what);

}  // namespace sweepd::command
