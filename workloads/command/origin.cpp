#include "workloads/command/origin.h"

#include <algorithm>
#include <array>
#include <optional>

#include "workloads/command/ask_program.h"

namespace sweepd::command {
namespace {

namespace fs = std::filesystem;

constexpr Duration kPatience = seconds(2);  // for each question

// They print their version and end when asked by `--version`; others may do anything.
constexpr std::array<std::string_view, 9> kInterpreters{"bash", "julia",  "lua",     "node", "perl",
                                                        "pypy", "python", "Rscript", "ruby"};

// "python3.11" is python, "python-config" is not.
bool is_interpreter(const fs::path& program) {
  const std::string name = program.filename().string();
  return std::any_of(kInterpreters.begin(), kInterpreters.end(), [&](std::string_view known) {
    return name.starts_with(known) &&
           name.find_first_not_of("0123456789.", known.size()) == std::string::npos;
  });
}

std::optional<std::string> ask_git(const fs::path& folder, std::vector<std::string> words) {
  // A monitor would be a process that outlives the question.
  std::vector<std::string> argv{"git", "-C", folder.string(), "-c", "core.fsmonitor=false"};
  argv.insert(argv.end(), words.begin(), words.end());
  return answer_of(argv, kPatience);
}

std::string commit_of(const fs::path& file) {
  const fs::path folder = file.parent_path();
  const auto commit = ask_git(folder, {"rev-parse", "--short", "HEAD"});
  if (!commit || commit->empty()) return "";
  const auto changes = ask_git(folder, {"status", "--porcelain", "--untracked-files=no"});
  if (!changes) return "";
  const bool tracked =
      changes->empty() && ask_git(folder, {"ls-files", "--error-unmatch", "--", file.filename()});
  return tracked ? *commit : *commit + "-dirty";
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

}  // namespace

Origin origin_of(const Program& program) {
  Origin origin;
  const ProgramFiles files = files_of(program);
  if (files.program.empty()) return origin;
  const bool interpreted = is_interpreter(files.program) && !files.arguments.empty();
  if (interpreted) {
    origin.interpreter =
        first_line(answer_of({files.program.string(), "--version"}, kPatience).value_or(""));
  }
  origin.commit = commit_of(interpreted ? files.arguments.front() : files.program);
  return origin;
}

}  // namespace sweepd::command
