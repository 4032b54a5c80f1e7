#include "workloads/command/code.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <stdexcept>

#include "runner/base/files.h"
#include "runner/base/hash.h"
#include "runner/base/text.h"

namespace sweepd::command {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHashDigits = 8;
constexpr std::size_t kMaxFiles = 10'000;  // of a watched folder
// Larger files are data, such as tokens or weights. To read them would take longer than many a
// trial, so their size and time stand for their content.
constexpr std::uintmax_t kMaxHashed = 64 << 20;  // bytes

// One trial after another names the same interpreter, so a file is read again only if its size or
// time differs.
// `named` says who named the file: "argv: `--config=mm.yaml`".
std::string hash_of_file(const fs::path& path, const std::string& named) {
  struct Known {
    std::uintmax_t size = 0;
    fs::file_time_type time;
    std::string hash;
  };
  static std::map<fs::path, Known> known;
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  const fs::file_time_type time = fs::last_write_time(path, error);
  Known& entry = known[path];
  if (size > kMaxHashed && !error) {
    return hash128(fmt::format("{} {}", size, time.time_since_epoch().count()));
  }
  if (!entry.hash.empty() && !error && entry.size == size && entry.time == time) return entry.hash;
  const auto content = read_regular(path, Links::kFollow);
  if (!content) {
    throw std::runtime_error(
        fmt::format("{}: {}; expected a file that can be read", named, content.error().message));
  }
  entry = {size, time, hash128(*content)};
  return entry.hash;
}

std::string hash_of_folder(const fs::path& folder, const std::string& named) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
    if (files.size() > kMaxFiles) {
      throw std::runtime_error(fmt::format("{} has more than {} files", named, kMaxFiles));
    }
  }
  std::ranges::sort(files);
  std::string all;
  for (const fs::path& file : files) {
    all += fmt::format("{} {}\n", fs::relative(file, folder).string(), hash_of_file(file, named));
  }
  return hash128(all);
}

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
  std::string code;
  const auto add = [&code](const fs::path& path, const std::string& hash) {
    code += fmt::format("{}{}:{}", code.empty() ? "" : " ", path.filename().string(),
                        hash.substr(0, kHashDigits));
  };
  if (program.argv.empty()) return code;
  // The resolved name says more: python3.11 instead of python3.
  if (const auto path = find_program(program); path && is_file(*path)) {
    const fs::path real = fs::canonical(*path);
    add(real, hash_of_file(real, named("argv", program.argv.front())));
  }
  for (std::size_t i = 1; i < program.argv.size(); ++i) {
    const std::string& word = program.argv[i];
    if (const auto path = file_in(program, word)) {
      add(*path, hash_of_file(*path, named("argv", word)));
    }
  }
  for (const std::string& word : program.watch) {
    const auto is_folder = [](const fs::path& path) {
      std::error_code error;
      return fs::is_directory(path, error);
    };
    if (const auto path = find_file(program, word)) {
      add(*path, hash_of_file(*path, named("watch", word)));
    } else if (const auto folder = first_of(candidates(program, word), is_folder)) {
      add(*folder, hash_of_folder(*folder, named("watch", word)));
    } else {
      throw std::runtime_error(fmt::format(
          "watch: no file or folder `{}`; expected an absolute path, or one below `cwd` "
          "or the sweep file's folder",
          word));
    }
  }
  return code;
}

}  // namespace sweepd::command
