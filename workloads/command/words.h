// Command lines without a shell: a text is cut into words first, then parameters are put into each
// word, so that a value with spaces stays one argument and nothing in it is ever interpreted.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sweepd::command {

// Words between spaces, tabs and newlines. 'single' and "double" quotes hold words together, a
// backslash takes the next character as it is (not in single quotes). Throws std::invalid_argument
// naming `what` where a quote has no end.
std::vector<std::string> split_words(std::string_view text, std::string_view what);

struct Variable {
  std::string name;
  std::string value;
  bool given = true;  // false: a parameter that this trial does not set
};

// "--context={context}" with the variables' values; {{ and }} are braces. Throws
// std::invalid_argument naming `what` and the variable that is unknown or not given.
std::string substitute(std::string_view word, const std::vector<Variable>& variables,
                       std::string_view what);

}  // namespace sweepd::command
