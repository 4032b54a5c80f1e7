#include "runner/client/picture.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "runner/base/descriptors.h"
#include "runner/base/files.h"
#include "runner/base/text.h"
#include "runner/base/unique_fd.h"

namespace sweepd {
namespace {

constexpr int kNoLibrary = 3;

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

// A file in memory: unlike a pipe it takes any amount before somebody reads.
Result<UniqueFd> file_with(const std::string& text) {
  UniqueFd file(::memfd_create("sweepctl", MFD_CLOEXEC));
  if (!file) return Error{ErrorCode::kIo, std::string("a file in memory: ") + strerror(errno)};
  if (auto written = write_all(file.get(), text, "a file in memory"); !written) {
    return written.error();
  }
  ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

std::string text_in(const UniqueFd& file) {
  ::lseek(file.get(), 0, SEEK_SET);
  auto text = read_all(file.get());
  return text ? std::move(*text) : "";
}

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
  const auto input = file_with(vega_lite), output = file_with(""), errors = file_with("");
  for (const auto* file : {&input, &output, &errors}) {
    if (!*file) return file->error();
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input->get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output->get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors->get(), STDERR_FILENO);
  add_close_from(actions, STDERR_FILENO + 1);
  std::string program = python(), option = "-c", script = kScript, word(what);
  char* argv[] = {program.data(), option.data(), script.data(), word.data(), nullptr};
  pid_t pid = 0;
  const int spawned = ::posix_spawnp(&pid, program.c_str(), &actions, nullptr, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (spawned != 0) {
    return missing(program, fmt::format("`{}`: {}", program, strerror(spawned)));
  }
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return text_in(*output);
  const std::string said = last_line(text_in(*errors));
  const bool absent =
      WIFEXITED(status) && (WEXITSTATUS(status) == kNoLibrary || WEXITSTATUS(status) == 127);
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
