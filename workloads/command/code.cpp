#include "workloads/command/code.h"

#include <fmt/format.h>
#include <fnmatch.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <stdexcept>

#include "runner/base/text.h"
#include "runner/model/sweep/changes.h"
#include "workloads/command/file_hash.h"
#include "workloads/command/imports.h"

namespace sweepd::command {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHashDigits = 8;

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

// What the word is a path to, if it is one: absolute, below the working folder, or below that of
// the sweep file.
std::vector<fs::path> candidates(const Program& program, const std::string& word) {
  if (word.empty()) return {};
  const fs::path path(word);
  if (path.is_absolute()) return {path};
  std::vector<fs::path> found;
  for (const fs::path& folder : {program.folder, program.origin}) {
    if (!folder.empty()) found.push_back((folder / path).lexically_normal());
  }
  return found;
}

std::optional<fs::path> first_of(const std::vector<fs::path>& paths,
                                 bool (*fits)(const fs::path&)) {
  const auto found = std::ranges::find_if(paths, fits);
  return found == paths.end() ? std::nullopt : std::optional(*found);
}

bool is_program(const fs::path& path) {
  return is_file(path) && ::access(path.c_str(), X_OK) == 0;
}

// The part of a word that may name a file: `large.yaml` of `--config=large.yaml`.
std::size_t begin_of_name(const std::string& word) {
  const std::size_t equals = word.find('=');
  return equals == std::string::npos ? 0 : equals + 1;
}

std::optional<fs::path> file_in(const Program& program, const std::string& word) {
  if (auto path = find_file(program, word)) return path;
  const std::size_t begin = begin_of_name(word);
  return begin == 0 ? std::nullopt : find_file(program, word.substr(begin));
}

std::string named(std::string_view parameter, const std::string& word) {
  return fmt::format("{}: `{}`", parameter, word);
}

// Whether the option's value is where a program writes: `-o`, `--out`, `--benchmark_out`,
// `--export-json`.
bool is_of_output(std::string_view option) {
  if (option == "-o") return true;
  if (!option.starts_with('-')) return false;
  std::string words(option);
  std::ranges::replace(words, '_', '-');
  return std::ranges::any_of(split(words, '-'), [](const std::string& word) {
    return word == "out" || word == "output" || word == "outfile" || word == "export";
  });
}

bool names_output(const std::vector<std::string>& argv, std::size_t i) {
  const std::size_t begin = begin_of_name(argv[i]);
  if (begin > 0) return is_of_output(std::string_view(argv[i]).substr(0, begin - 1));
  return i > 1 && is_of_output(argv[i - 1]);
}

// Whether a `!PATTERN` names the file, or a folder that it is in, by name or by path below
// `folder`.
bool is_left_out(const Program& program, const fs::path& path, const fs::path& folder) {
  const fs::path relative = path.lexically_relative(folder);
  return std::ranges::any_of(program.watch, [&](const std::string& word) {
    if (!word.starts_with('!')) return false;
    std::string pattern = word.substr(1);
    if (pattern.ends_with('/')) pattern.pop_back();
    const auto matches = [&](const fs::path& text) {
      return ::fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
    };
    fs::path part = relative.empty() ? path.filename() : relative;
    for (; !part.empty(); part = part.parent_path()) {
      if (matches(part) || matches(part.filename())) return true;
    }
    return false;
  });
}

std::vector<fs::path> watched_files(const Program& program, const fs::path& folder,
                                    const std::string& named) {
  return files_below(
      folder, [&](const fs::path& path) { return is_left_out(program, path, folder); }, named);
}

struct Part {
  enum class Of { kProgram, kArgument, kImported, kWatched } of = Of::kProgram;
  fs::path path;
  std::string hash;
  std::string label = {};  // "layers/block.py" of what is imported
  // The folder that `.` and `lib/` name has a name too.
  std::string name() const {
    if (!label.empty()) return label;
    return (path.has_filename() ? path : path.parent_path()).filename().string();
  }
};

Part watched_part(const Program& program, const std::string& word) {
  const auto is_folder = [](const fs::path& path) {
    std::error_code error;
    return fs::is_directory(path, error);
  };
  const std::string parameter = named("watch", word);
  if (const auto path = find_file(program, word)) {
    return {Part::Of::kWatched, *path, hash_of_file(*path, parameter)};
  }
  if (const auto folder = first_of(candidates(program, word), is_folder)) {
    const auto files = watched_files(program, *folder, parameter);
    return {Part::Of::kWatched, *folder, hash_of_files(*folder, files, parameter)};
  }
  throw std::runtime_error(fmt::format(
      "watch: no file or folder `{}`; expected an absolute path, or one below `cwd` or the sweep "
      "file's folder",
      word));
}

// What the script imports from its own folder.
void add_imports(const Program& program, const fs::path& script, std::vector<Part>& parts) {
  for (const fs::path& file : imported_files(script)) {
    if (is_left_out(program, file, script.parent_path())) continue;
    const std::string importer = fmt::format("argv: `{}` imports it", script.filename().string());
    parts.push_back({Part::Of::kImported, file, hash_of_file(file, importer),
                     file.lexically_relative(script.parent_path()).string()});
  }
}

std::vector<Part> parts_of(const Program& program) {
  std::vector<Part> parts;
  if (program.argv.empty()) return parts;
  // The resolved name says more: python3.11 instead of python3.
  if (const auto path = find_program(program); path && is_file(*path)) {
    const fs::path real = fs::canonical(*path);
    const std::string parameter = named("argv", program.argv.front());
    parts.push_back({Part::Of::kProgram, real, hash_of_file(real, parameter)});
  }
  for (std::size_t i = 1; i < program.argv.size(); ++i) {
    const std::string& word = program.argv[i];
    const auto path = file_in(program, word);
    if (!path || names_output(program.argv, i) || is_left_out(program, *path, program.folder)) {
      continue;
    }
    parts.push_back({Part::Of::kArgument, *path, hash_of_file(*path, named("argv", word))});
    if (path->extension() == ".py") add_imports(program, *path, parts);
  }
  for (const std::string& word : program.watch) {
    if (!word.starts_with('!')) parts.push_back(watched_part(program, word));
  }
  return parts;
}

std::string code_of_parts(const std::vector<Part>& parts) {
  std::string code;
  for (const Part& part : parts) {
    code += fmt::format("{}{}:{}", code.empty() ? "" : " ", part.name(),
                        part.hash.substr(0, kHashDigits));
  }
  return code;
}

std::string newest_below(const Program& program, const fs::path& folder) {
  const auto files = watched_files(program, folder, folder.string());
  const auto time_of = [](const fs::path& file) {
    std::error_code error;
    const auto time = fs::last_write_time(file, error);
    return error ? fs::file_time_type::min() : time;
  };
  const auto newest = std::ranges::max_element(files, {}, time_of);
  return newest == files.end() ? "" : fs::relative(*newest, folder).string();
}

}  // namespace

std::optional<fs::path> find_file(const Program& program, const std::string& word) {
  return first_of(candidates(program, word), is_file);
}

std::optional<fs::path> find_program(const Program& program) {
  const std::string& name = program.argv.front();
  if (name.find('/') != std::string::npos) return find_file(program, name);
  const char* own = std::getenv("PATH");
  const std::string path = !program.path.empty() ? program.path : own == nullptr ? "" : own;
  // Trials of one sweep ask for the same few names.
  static std::map<std::pair<std::string, std::string>, fs::path> known;
  if (const auto entry = known.find({path, name}); entry != known.end()) return entry->second;
  for (const std::string& folder : split(path, ':')) {
    const fs::path found = fs::path(folder) / name;
    if (is_program(found)) return known[{path, name}] = found;
  }
  return program.origin.empty() || !is_program(program.origin / name)
             ? std::nullopt
             : std::optional(program.origin / name);
}

std::vector<std::string> with_paths(const Program& program) {
  std::vector<std::string> words = program.argv;
  for (std::size_t i = 1; i < words.size(); ++i) {
    std::string& word = words[i];
    for (const std::size_t begin : {std::size_t{0}, begin_of_name(word)}) {
      const std::string name = word.substr(begin);
      if (name.find_first_of("./") == std::string::npos) continue;
      const auto path = find_file(program, name);
      if (!path) continue;
      word = word.substr(0, begin) + path->string();
      break;
    }
  }
  return words;
}

ProgramFiles files_of(const Program& program) {
  ProgramFiles files;
  if (program.argv.empty()) return files;
  if (const auto path = find_program(program); path && is_file(*path)) {
    files.program = fs::canonical(*path);
  }
  for (std::size_t i = 1; i < program.argv.size(); ++i) {
    if (const auto path = file_in(program, program.argv[i])) files.arguments.push_back(*path);
  }
  return files;
}

std::string code_of(const Program& program) {
  return code_of_parts(parts_of(program));
}

std::vector<std::string> changed_since(const std::string& code, const Program& program) {
  const std::vector<Part> parts = parts_of(program);
  std::vector<std::string> changed;
  for (const std::string& name : changed_parts(code, code_of_parts(parts))) {
    const auto part = std::ranges::find(parts, name, &Part::name);
    const bool is_here = part != parts.end();
    const bool was_there = (" " + code).find(fmt::format(" {}:", name)) != std::string::npos;
    if (is_here && part->of == Part::Of::kArgument && !was_there) continue;
    changed.push_back(name);
    if (!is_here || part->of != Part::Of::kWatched || is_file(part->path)) continue;
    const std::string newest = newest_below(program, part->path);
    if (!newest.empty()) changed.back() += fmt::format(" (its newest file: {})", newest);
  }
  return changed;
}

}  // namespace sweepd::command
