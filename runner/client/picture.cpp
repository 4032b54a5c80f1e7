#include "runner/client/picture.h"

#include <fmt/format.h>
#include <cstdlib>
#include <utility>

#include "runner/base/text.h"
#include "runner/client/run_program.h"

namespace sweepd {
namespace {

constexpr int kNoLibrary = 3;    // of the script below
constexpr int kNoProgram = 127;  // of a shell

// Writes to stdout the picture of the specification in stdin. The version of Vega-Lite is pinned,
// so that the same results give the same picture with any vl-convert.
constexpr const char* kScript = R"py(
import sys
try:
    import vl_convert
except ImportError as missing:
    print(missing, file=sys.stderr)
    sys.exit(3)
sys.stdout.buffer.write(vl_convert.vegalite_to_png(sys.stdin.read(), vl_version="5.20", scale=2))
)py";

std::string python() {
  const char* chosen = std::getenv("SWEEPD_PYTHON");
  return chosen != nullptr && *chosen != 0 ? chosen : "python3";
}

Error missing(const std::string& program, const std::string& what) {
  return {
      ErrorCode::kUnavailable,
      fmt::format("no picture: {}; `{} -m pip install vl-convert-python` installs what draws it",
                  what, program)};
}

// The last line of a program's output: Python's error message.
std::string last_line(const std::string& said) {
  const auto lines = split(trim(said), '\n');
  return lines.empty() ? "" : lines.back();
}

}  // namespace

Result<std::string> draw_png(const std::string& vega_lite) {
  const std::string program = python();
  const auto ran = run_program({program, "-c", kScript}, vega_lite);
  if (!ran) {
    if (ran.error().code != ErrorCode::kNotFound) return ran.error();
    return missing(program, ran.error().message);
  }
  if (ran->status == 0) return ran->out;
  const std::string said = last_line(ran->errors);
  const bool absent = ran->status == kNoLibrary || ran->status == kNoProgram;
  if (absent) return missing(program, fmt::format("`{}`: {}", program, said));
  return Error{ErrorCode::kInternal, "vl-convert did not draw the plot: " + said};
}

}  // namespace sweepd
