#include "runner/daemon/handlers/unwatched_imports.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <sstream>

namespace sweepd {
namespace {

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

std::filesystem::path file_of(const std::string& word) {
  return std::filesystem::path(word).filename();
}

// The script among the words of a program; "the program" if it has only an interpreter; "" if it is
// not Python.
std::string python_in(const RanInSweep::Program& program) {
  const std::vector<std::string> words = words_of(program.interpreter + " " + program.argv);
  const auto script = std::ranges::find_if(
      words, [](const std::string& word) { return file_of(word).extension() == ".py"; });
  if (script != words.end()) return fmt::format("`{}`", file_of(*script).string());
  const bool interpreted =
      !words.empty() &&
      (words.front() == "{python}" || file_of(words.front()).string().starts_with("python"));
  return interpreted ? "the program" : "";
}

// Whether the word may name a folder, or a module.
bool may_hold_modules(const std::string& watched) {
  const std::string extension = file_of(watched).extension().string();
  return extension.empty() || extension == ".py";
}

}  // namespace

std::string unwatched_imports(const std::vector<RanInSweep::Program>& programs) {
  for (const RanInSweep::Program& program : programs) {
    if (std::ranges::any_of(words_of(program.watch), may_hold_modules)) continue;
    const std::string python = python_in(program);
    if (python.empty()) continue;
    return fmt::format(
        "modules that {} imports are not watched for changes unless `watch` names them", python);
  }
  return "";
}

}  // namespace sweepd
