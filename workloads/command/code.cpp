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

std::optional<fs::path> in_folder(const Program& program, const std::string& word) {
  if (word.empty()) return std::nullopt;
  const fs::path path(word);
  if (path.is_absolute()) return path;
  if (program.folder.empty()) return std::nullopt;
  return program.folder / path;
}

std::optional<fs::path> find_program(const Program& program) {
  const std::string& name = program.argv.front();
  if (name.find('/') != std::string::npos) return in_folder(program, name);
  // Trials of one sweep ask for the same few names.
  static std::map<std::string, fs::path> known;
  if (const auto entry = known.find(name); entry != known.end()) return entry->second;
  const char* path = std::getenv("PATH");
  for (const std::string& folder : split(path == nullptr ? "" : path, ':')) {
    const fs::path found = fs::path(folder) / name;
    if (!is_file(found) || ::access(found.c_str(), X_OK) != 0) continue;
    return known[name] = fs::canonical(found);
  }
  return std::nullopt;
}

std::optional<fs::path> file_in(const Program& program, const std::string& word) {
  auto path = in_folder(program, word);
  if (path && is_file(*path)) return path;
  const std::size_t equals = word.find('=');  // --config=large.yaml
  if (equals == std::string::npos) return std::nullopt;
  path = in_folder(program, word.substr(equals + 1));
  return path && is_file(*path) ? path : std::nullopt;
}

std::string named(std::string_view parameter, const std::string& word) {
  return fmt::format("{}: `{}`", parameter, word);
}

}  // namespace

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
    const auto path = in_folder(program, word);
    std::error_code error;
    if (path && is_file(*path)) {
      add(*path, hash_of_file(*path, named("watch", word)));
    } else if (path && fs::is_directory(*path, error)) {
      add(*path, hash_of_folder(*path, named("watch", word)));
    } else {
      throw std::runtime_error(fmt::format(
          "watch: no file or folder `{}`; expected an absolute path, or one below `cwd`", word));
    }
  }
  return code;
}

}  // namespace sweepd::command
