#include "runner/client/commands/new_workload_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <memory>
#include <string>

#include "runner/base/files.h"
#include "runner/base/say.h"
#include "runner/base/started_as.h"
#include "runner/base/text.h"
#include "runner/client/render/output.h"
#include "runner/client/session/client.h"

namespace sweepd {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string name;
  bool plain = false, cuda = false, torch = false;
};

// Also a target of CMake and, in the database, a table.
bool is_workload_name(const std::string& name) {
  constexpr std::size_t kLongest = 48;
  const auto fits = [](char c) {
    return std::islower(static_cast<unsigned char>(c)) != 0 || (c >= '0' && c <= '9') || c == '_';
  };
  return !name.empty() && name.size() <= kLongest &&
         std::islower(static_cast<unsigned char>(name.front())) != 0 &&
         std::ranges::all_of(name, fits);
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

Result<void> write_template(const TemplateFile& file, const Options& options) {
  std::string name(file.name), text(file.text);
  replace_all(name, "NAME", options.name);
  replace_all(text, "@NAME@", options.name);
  replace_all(text, "@DEVICE@", options.cuda ? "cuda" : options.torch ? "auto" : "cpu");
  return replace_file(fs::path(options.name) / name, text);
}

// The CMake option that finds this installation; empty below /usr and /usr/local, where CMake looks
// by itself.
std::string prefix_option() {
  const fs::path prefix =
      installed_file({"lib/cmake/sweepd"}).parent_path().parent_path().parent_path();
  if (prefix.empty() || prefix == "/usr" || prefix == "/usr/local") return "";
  return " -DCMAKE_PREFIX_PATH=" + shell_word(prefix.string());
}

Exit new_workload(const Options& options) {
  const auto fail = [](ErrorCode code, std::string message) {
    return report_error(Error{code, std::move(message)});
  };
  if (!is_workload_name(options.name)) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("`{}` is not a name; expected a small letter, then at most 47 small "
                            "letters, digits or `_`",
                            options.name));
  }
  if (int{options.plain} + int{options.cuda} + int{options.torch} > 1) {
    return fail(ErrorCode::kInvalidArgument, "--plain, --cuda and --torch exclude each other");
  }
  const fs::path folder = options.name;
  std::error_code error;
  if (!fs::create_directory(folder, error)) {
    return fail(ErrorCode::kAlreadyExists,
                fmt::format("{}: {}", folder.string(), error ? error.message() : "exists already"));
  }
  const std::string_view kind = options.cuda ? "cuda" : options.torch ? "torch" : "plain";
  for (const TemplateFile& file : template_files()) {
    if (file.kind != kind && file.kind != "common") continue;
    const auto written = write_template(file, options);
    if (!written) return report_error(written.error());
  }
  say("{0}/ has a workload that works. Next:\n"
      "  cd {0}\n"
      "  cmake -B build{1} && cmake --build build\n"
      "  ctest --test-dir build\n"
      "  sweepctl run {0}.yaml\n",
      options.name, prefix_option());
  return Exit::kOk;
}

}  // namespace

void add_new_workload(Command& app, Client& client) {
  auto options = std::make_shared<Options>();
  Command* command =
      app.add_subcommand("new-workload", "Write a folder with a workload of your own");
  command->add_option("NAME", options->name, "of the workload and the folder")->required();
  command->add_flag("--plain", options->plain, "C++ for the CPU; the default");
  command->add_flag("--cuda", options->cuda, "a CUDA kernel");
  command->add_flag("--torch", options->torch, "C++ with LibTorch, CPU or GPU");
  command->footer("Example: sweepctl new-workload saxpy --plain");
  command->callback(
      [&client, options] { client.action = [options] { return new_workload(*options); }; });
}

}  // namespace sweepd
