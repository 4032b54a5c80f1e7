// Values that a program needs and nobody else may see: tokens, passwords. A trial names them only;
// the values come from a file of the user's when the program starts, and never reach the database,
// a request or a log.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sweepd::command {

class Secrets {
 public:
  // Of `names`, words. Each from the file that $SWEEPD_SECRETS names, else from this process's own
  // environment. Throws Unavailable where a value is in neither, std::runtime_error where the file
  // is not for its owner's eyes only or cannot be read.
  explicit Secrets(std::string_view names);

  const std::vector<std::pair<std::string, std::string>>& variables() const { return variables_; }

  // The line with `[NAME]` in the place of each value, for what a program prints. Values of fewer
  // than four characters stay: they occur anywhere.
  std::string hide(std::string_view line) const;

 private:
  std::vector<std::pair<std::string, std::string>> variables_;
};

}  // namespace sweepd::command
