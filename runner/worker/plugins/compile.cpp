#include "runner/worker/plugins/compile.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "runner/base/files.h"
#include "runner/base/started_as.h"
#include "runner/base/text.h"

namespace sweepd {
namespace {

namespace fs = std::filesystem;

constexpr int kNotFound = 127;  // the shell's exit code without the program

struct ShellOutput {
  int exit_code = 0;
  std::string text;  // stdout and stderr
};

// Runs it in the folder, where its relative paths begin.
ShellOutput run_shell(const fs::path& folder, const std::vector<std::string>& command,
                      const char* redirection) {
  std::string line = "cd " + shell_word(folder.string()) + " && ";
  for (const std::string& word : command) line += shell_word(word) + " ";
  line += redirection;
  std::FILE* pipe = ::popen(line.c_str(), "r");
  if (pipe == nullptr) return {kNotFound, ""};
  ShellOutput output;
  char buffer[65536];
  for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) {
    output.text.append(buffer, n);
  }
  const int status = ::pclose(pipe);
  output.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
  return output;
}

bool is_cuda(const fs::path& source) {
  return source.extension() == ".cu";
}

std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words;
  for (const std::string& word : split(text, ' ')) {
    if (!trim(word).empty()) words.emplace_back(trim(word));
  }
  return words;
}

// With its launcher and options, as in `ccache c++`.
std::vector<std::string> compiler_of(const fs::path& source) {
  if (!is_cuda(source)) return words_in(variable_or("CXX", "c++"));
  const fs::path usual = "/usr/local/cuda/bin/nvcc";
  std::error_code ignored;
  return words_in(variable_or("NVCC", fs::exists(usual, ignored) ? usual.c_str() : "nvcc"));
}

Result<fs::path> include_folder() {
  if (const fs::path found = installed_file({"include/sweepd"}); !found.empty()) return found;
  return Error{ErrorCode::kNotFound, "this installation has no headers of sweepd (include/sweepd)"};
}

// The compiler's errors, each with the two lines behind it, which show the place; or, if it names
// none, its first lines.
std::string errors_in(const std::string& text) {
  constexpr std::size_t kMostLines = 30, kLongest = 240, kBehind = 2;
  const std::vector<std::string> lines = split(trim(text), '\n');
  std::vector<std::string> shown;
  std::size_t behind = 0;
  for (const std::string& line : lines) {
    const bool is_error =
        line.find("error:") != std::string::npos || line.find("error :") != std::string::npos;
    if (is_error) behind = kBehind + 1;
    if (behind == 0) continue;
    --behind;
    if (shown.size() < kMostLines) shown.push_back(line);
  }
  if (shown.empty())
    shown.assign(lines.begin(),
                 lines.begin() + static_cast<std::ptrdiff_t>(std::min(lines.size(), kMostLines)));
  for (std::string& line : shown) {
    if (line.size() > kLongest) line = line.substr(0, kLongest) + " ...";
  }
  if (shown.size() == kMostLines) shown.emplace_back("...");
  return join(shown, "\n");
}

Error compiler_error(const std::string& shown, const std::string& compiler,
                     const ShellOutput& output) {
  if (output.exit_code == kNotFound) {
    return {ErrorCode::kFailedPrecondition,
            fmt::format("`{}` needs the compiler `{}`, which is not here; install it, or name "
                        "another one in $CXX or $NVCC",
                        shown, compiler)};
  }
  if (trim(output.text).empty()) {
    return {ErrorCode::kInvalidArgument,
            fmt::format("`{}` does not compile: `{}` ended with exit code {} and said nothing",
                        shown, compiler, output.exit_code)};
  }
  return {ErrorCode::kInvalidArgument,
          fmt::format("`{}` does not compile:\n{}", shown, errors_in(output.text))};
}

}  // namespace

std::vector<std::string> flags_in(std::string_view source) {
  constexpr std::string_view kBegin = "// sweepd:";
  std::vector<std::string> flags;
  for (const std::string& line : split(source, '\n')) {
    if (!line.starts_with(kBegin)) continue;
    for (std::string& word : words_in(line.substr(kBegin.size()))) flags.push_back(std::move(word));
  }
  return flags;
}

Result<Compilation> plan_compilation(const fs::path& source, const std::string& shown) {
  const auto text = read_regular(source, Links::kFollow);
  if (!text) return text.error();
  const auto headers = include_folder();
  if (!headers) return headers.error();
  std::vector<std::string> command = compiler_of(source);
  if (command.empty()) command.emplace_back(is_cuda(source) ? "nvcc" : "c++");
  const std::string compiler = join(command, " ");
  const fs::path folder = source.parent_path();
  std::vector<std::string> ask_version = command;
  ask_version.emplace_back("--version");
  command.insert(command.end(), {"-std=c++20", "-O3", "-shared"});
  if (is_cuda(source)) {
    command.insert(command.end(), {"-Xcompiler", "-fPIC", "-arch=native"});
  } else {
    command.emplace_back("-fPIC");
  }
  command.insert(command.end(), {"-I", headers->string(), source.string()});
  // Behind the source, since libraries resolve what stands before them.
  for (std::string& flag : flags_in(*text)) command.push_back(std::move(flag));

  const ShellOutput version = run_shell(folder, ask_version, "2>&1");
  if (version.exit_code != 0) return compiler_error(shown, compiler, version);
  std::vector<std::string> preprocess = command;
  preprocess.emplace_back("-E");
  const ShellOutput whole = run_shell(folder, preprocess, "2>/dev/null");
  if (whole.exit_code != 0)
    return compiler_error(shown, compiler, run_shell(folder, preprocess, "2>&1 >/dev/null"));
  return Compilation{folder, compiler, command,
                     version.text + join(command, " ") + "\n" + whole.text};
}

Result<void> compile_plugin(const Compilation& compilation, const fs::path& library,
                            const std::string& shown) {
  const fs::path part = fmt::format("{}.{}.part", library.string(), ::getpid());
  std::vector<std::string> command = compilation.command;
  command.insert(command.end(), {"-o", part.string()});
  const ShellOutput output = run_shell(compilation.folder, command, "2>&1");
  std::error_code error;
  if (output.exit_code == 0 && !fs::exists(part, error)) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("`{}`: `{}` made no library; look at its flags", shown,
                             join(compilation.command, " "))};
  }
  if (output.exit_code == 0) fs::rename(part, library, error);
  if (output.exit_code == 0 && !error) return {};
  std::error_code ignored;
  fs::remove(part, ignored);
  if (output.exit_code != 0) return compiler_error(shown, compilation.compiler, output);
  return Error{ErrorCode::kIo, fmt::format("{}: {}", library.string(), error.message())};
}

}  // namespace sweepd
