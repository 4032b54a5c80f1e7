// What a program consists of, so that results of changed code are never taken for those of the old.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "workloads/command/words.h"

namespace sweepd::command {

inline constexpr std::string_view kAnyCode = "any";  // turns the check off

struct Program {
  std::vector<std::string> argv;  // with parameters inserted
  std::filesystem::path folder;   // in which it runs; empty: unknown, so only absolute paths count
  // Files and folders. `!PATTERN` leaves out files and folders: `!out.json`, `!data`, `!*.csv`.
  std::vector<std::string> watch;
  std::filesystem::path origin = {};  // the sweep file's folder, where files are found too
  std::string path = {};              // folders of programs, as in $PATH; empty: $PATH
};

// Returns the file that a word names: an absolute path, or one below `folder` or `origin`. Nothing
// if there is no such file.
std::optional<std::filesystem::path> find_file(const Program& program, const std::string& word);
// The same for argv[0], which without a `/` is a name to look for in `path`, then in `origin`.
std::optional<std::filesystem::path> find_program(const Program& program);
// Returns the words with paths of the files that are only found in `origin`: `mm.py`, `a/b`, the
// part behind a `=`. A word without `.` and `/` stays as it is, since it is more likely a value.
std::vector<std::string> with_paths(const Program& program);

// The files that a program's words name.
struct ProgramFiles {
  std::filesystem::path program;  // links resolved: python3.11 instead of python3; empty: not found
  std::vector<std::filesystem::path> arguments;
};
ProgramFiles files_of(const Program& program);

// Returns "python3.11:1f00aa22 mm.py:9ab1c2d3": the program, every argument (or the part of it
// behind a `=`) that is a file, what an argument ending in `.py` imports from its own folder
// (imports.h), and what is watched, by file name and hash of the content
// (file_hash.h). Programs without a path are found in $PATH. What an option such as `--out` or `-o`
// names does not count. Throws std::runtime_error, naming the parameter and its word, if one of
// these files cannot be read, or if what is watched does not exist or is a folder of more than
// 10,000 files.
std::string code_of(const Program& program);

// Returns what differs now from `code`, by name; of a watched folder also its newest file. An
// argument that has become a file since then does not count: the program writes it.
std::vector<std::string> changed_since(const std::string& code, const Program& program);

}  // namespace sweepd::command
