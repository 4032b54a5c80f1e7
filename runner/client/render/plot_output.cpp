#include "runner/client/render/plot_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "runner/base/hash.h"
#include "runner/base/result.h"
#include "runner/base/say.h"
#include "runner/base/text.h"
#include "runner/client/render/output.h"
#include "runner/client/session/run_program.h"
#include "runner/report/plot/plot.h"

namespace sweepd {
namespace {

namespace fs = std::filesystem;

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
  return {ErrorCode::kUnavailable,
          fmt::format(
              "no picture: {}; `{} -m pip install vl-convert-python` installs the drawing program",
              what, program)};
}

// The last line of a program's output: Python's error message.
std::string last_line(const std::string& said) {
  const auto lines = split(trim(said), '\n');
  return lines.empty() ? "" : lines.back();
}

// Draws a Vega-Lite specification as a PNG picture, with Python's vl-convert. Returns the picture's
// bytes. Runs $SWEEPD_PYTHON, else python3, for about a second. Errors: kUnavailable if there is no
// Python or it has no vl_convert, and the message then names the package to install; kInternal if
// vl-convert refuses the specification.
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

const char* extension_of(const std::string& format) {
  if (format == "vega") return ".vl.json";
  if (format == "text") return ".txt";
  return format == "svg" ? ".svg" : ".png";
}

std::string format_of(const std::string& file) {
  for (const char* format : {"svg", "png", "vega"}) {
    if (file.ends_with(extension_of(format))) return format;
  }
  return file.ends_with(".json") ? "vega" : "text";
}

bool is_folder(const std::string& file) {
  std::error_code ignored;
  return file.ends_with('/') || fs::is_directory(file, ignored);
}

void print_warnings(const Plot& plot) {
  for (const std::string& warning : warnings_of(plot)) {
    say(stderr, "note: {}{}{}\n", plot.title, plot.title.empty() ? "" : ": ", warning);
  }
}

// Writes the picture, or the specification if the drawing program is missing.
Exit write_png(const std::string& spec, std::string file) {
  auto picture = draw_png(spec);
  if (!picture && picture.error().code != ErrorCode::kUnavailable) {
    return report_error(picture.error());
  }
  if (picture) {
    const auto written = write_file(file, *picture);
    return written ? Exit::kOk : report_error(written.error());
  }
  say(stderr, "sweepctl: {}\n", picture.error().message);
  if (file == "-") return Exit::kNoPicture;
  file = fs::path(file).replace_extension(extension_of("vega"));
  if (const auto written = write_file(file, spec); !written) return report_error(written.error());
  say(stderr, "its Vega-Lite specification is in {}\n", file);
  return Exit::kNoPicture;
}

Error several(const std::vector<Plot>& plots) {
  std::vector<std::string> titles;
  for (const Plot& plot : plots) titles.push_back("`" + plot.title + "`");
  return {ErrorCode::kInvalidArgument,
          fmt::format("there are {} plots: {}; choose one with --plot, or write all into a folder "
                      "with -o FOLDER/",
                      titles.size(), join(titles, ", "))};
}

}  // namespace

std::string file_name_of(const std::string& title) {
  std::string name;
  for (const char c : title) {
    const bool upper = c >= 'A' && c <= 'Z';
    const bool plain = upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (plain) name += upper ? static_cast<char>(c - 'A' + 'a') : c;
    if (!plain && !name.empty() && name.back() != '-') name += '-';
  }
  // A file system takes 255 bytes, of which an ending and a number need some.
  constexpr std::size_t kLongest = 150, kDigits = 8;
  if (name.size() > kLongest) {
    name = name.substr(0, kLongest) + "-" + hash128(title).substr(0, kDigits);
  }
  while (name.ends_with('-')) name.pop_back();
  return name;
}

std::vector<std::string> warnings_of(const Plot& plot) {
  const auto& notes = plot.data.notes;
  return {notes.end() - static_cast<std::ptrdiff_t>(plot.data.warnings), notes.end()};
}

Exit write_drawing(const Drawing& drawing, std::string format, const std::string& file) {
  if (format.empty()) format = format_of(file);
  if (format == "png") return write_png(drawing.vega_lite(), file);
  const auto written = write_file(file, format == "vega"  ? drawing.vega_lite()
                                        : format == "svg" ? svg_file(drawing.svg())
                                                          : drawing.text());
  return written ? Exit::kOk : report_error(written.error());
}

Exit write_plots(const std::vector<Plot>& plots, std::string format, const std::string& file) {
  if (format.empty()) format = format_of(file);
  const bool folder = is_folder(file);
  if (plots.size() > 1 && !folder && (file != "-" || format != "text")) {
    return report_error(several(plots));
  }
  std::error_code ignored;  // writing the first file reports the error
  if (folder) fs::create_directories(file, ignored);
  std::set<std::string> names;
  Exit worst = Exit::kOk;
  for (std::size_t i = 0; i < plots.size(); ++i) {
    print_warnings(plots[i]);
    std::string path = file;
    if (folder) {
      std::string name = file_name_of(plots[i].title);
      if (name.empty()) name = fmt::format("plot-{}", i + 1);
      if (!names.insert(name).second) name += fmt::format("-{}", i + 1);
      path = fs::path(file) / (name + extension_of(format));
    }
    if (i > 0 && path == "-") say("\n");
    const Drawing drawing{[&] { return to_text(plots[i], terminal_width()); },
                          [&] { return to_vega_lite(plots[i]); }, [&] { return to_svg(plots[i]); }};
    const Exit exit = write_drawing(drawing, format, path);
    if (exit != Exit::kOk && exit != Exit::kNoPicture) return exit;
    worst = std::max(worst, exit);
  }
  return worst;
}

}  // namespace sweepd
