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

// Writes to stdout the picture of the specification in stdin, or the library for a page: making
// that takes seconds, so it is kept. The version of Vega-Lite is pinned, so that the same results
// give the same picture whatever else vl-convert knows.
constexpr const char* kScript = R"py(
import importlib.metadata
import os
import sys
try:
    import vl_convert
except ImportError as missing:
    print(missing, file=sys.stderr)
    sys.exit(3)


def library():
    version = importlib.metadata.version("vl-convert-python")
    folder = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "sweepd")
    kept = os.path.join(folder, f"vega-embed-{version}.js")
    try:
        with open(kept, encoding="utf-8") as file:
            return file.read()
    except OSError:
        made = vl_convert.javascript_bundle(vl_version="5.20")
    try:
        os.makedirs(folder, exist_ok=True)
        with open(f"{kept}.{os.getpid()}", "w", encoding="utf-8") as file:
            file.write(made)
        os.replace(file.name, kept)
    except OSError:
        pass
    return made


spec = sys.stdin.read()
if sys.argv[1] == "png":
    sys.stdout.buffer.write(vl_convert.vegalite_to_png(spec, vl_version="5.20", scale=2))
elif sys.argv[1] == "svg":
    sys.stdout.write(vl_convert.vegalite_to_svg(spec, vl_version="5.20"))
else:
    sys.stdout.buffer.write(library().encode())
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

// The last line of what a program said: Python's own message stands there.
std::string last_line(const std::string& said) {
  const auto lines = split(trim(said), '\n');
  return lines.empty() ? "" : lines.back();
}

Result<std::string> ask_vl_convert(std::string_view what, const std::string& vega_lite) {
  const std::string program = python();
  const auto ran = run_program({program, "-c", kScript, std::string(what)}, vega_lite);
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

}  // namespace

Result<std::string> draw_picture(const std::string& vega_lite, std::string_view format) {
  return ask_vl_convert(format, vega_lite);
}

Result<std::string> plot_library() {
  return ask_vl_convert("library", "");
}

}  // namespace sweepd
