// Runs another program to its end.
#pragma once

#include <string>
#include <vector>

#include "runner/base/result.h"

namespace sweepd {

struct EndedProgram {
  int status = 0;  // its exit status; 128 + N if signal N ended it
  std::string out, errors;
};

// Looks for `arguments[0]` in PATH. `input` is its standard input. Errors: kNotFound if the program
// cannot be started, and kIo.
Result<EndedProgram> run_program(const std::vector<std::string>& arguments,
                                 const std::string& input);

}  // namespace sweepd
