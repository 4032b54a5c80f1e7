// A mistake in a sweep file, and its text for people.
#pragma once

#include <string>
#include <vector>

namespace sweepd {

// One mistake in the form in which compilers report it.
struct Diagnostic {
  std::string file;
  int line = 0;           // from 1; 0 if the mistake has no place (a --set override)
  int column = 0;         // from 1, in bytes
  int length = 1;         // of the offending text, for the underline
  std::string message;    // what is wrong, with the value and what was expected
  std::string help;       // the nearest name, or how to fix it; may be empty
  std::string source;     // the line itself; of a long line, the part around the mistake
  int source_column = 1;  // where `source` begins in that line; above 1 if its front was cut
};

// "file:3:9: error: ...\n  3 | matrx:\n    | ^~~~~\n    = help: did you mean `matrix`?\n"
// Control characters of the source are shown as `?`, so that a file cannot control the terminal.
std::string render(const Diagnostic& diagnostic);
std::string render(const std::vector<Diagnostic>& diagnostics);  // with an empty line between

}  // namespace sweepd
