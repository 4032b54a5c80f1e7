// Values that a program needs and nobody else may see: tokens, passwords. A trial contains only
// their names. The values come from a file of the user when the program starts, and never reach the
// database, a request or a log.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sweepd::command {

class Secrets {
 public:
  // `names` are words. Each value comes from the file that $SWEEPD_SECRETS names, else from this
  // process's own environment. Throws Unavailable if a value is in neither, std::runtime_error if
  // others can read the file or it cannot be read.
  explicit Secrets(std::string_view names);

  const std::vector<std::pair<std::string, std::string>>& variables() const { return variables_; }

  // Returns the line with `[NAME]` in place of each value, for what a program prints. Values of
  // fewer than four characters are not replaced, because they occur everywhere.
  std::string hide(std::string_view line) const;

 private:
  std::vector<std::pair<std::string, std::string>> variables_;
};

}  // namespace sweepd::command
