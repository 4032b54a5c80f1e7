#include "workloads/command/imports.h"

#include <algorithm>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "runner/base/files.h"
#include "runner/base/text.h"

namespace sweepd::command {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostModules = 1000;
constexpr std::uintmax_t kLargestModule = 8 << 20;  // bytes

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

// The source's logical lines: what parentheses and a backslash at the end hold together, without
// comments.
std::vector<std::string> logical_lines(std::string_view source) {
  std::vector<std::string> lines;
  std::string open;
  int depth = 0;
  for (std::string line : split(std::string(source), '\n')) {
    if (const std::size_t comment = line.find('#'); comment != std::string::npos)
      line.resize(comment);
    const bool is_import =
        !open.empty() || trimmed(line).starts_with("from ") || trimmed(line).starts_with("import ");
    if (!is_import) continue;
    for (const char c : line) depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    const bool continues = line.ends_with('\\');
    if (continues) line.pop_back();
    open += line + " ";
    if (depth > 0 || continues) continue;
    lines.push_back(std::exchange(open, ""));
    depth = 0;
  }
  if (!open.empty()) lines.push_back(open);
  return lines;
}

// `a.b as c` is "a.b".
std::string module_name(std::string_view text) {
  text = trimmed(text);
  return std::string(text.substr(0, text.find_first_of(" \t;")));
}

// `import a, b as c; x = 1` imports a and b.
std::vector<std::string> names_in(std::string list) {
  std::erase_if(list, [](char c) { return c == '(' || c == ')'; });
  list.resize(std::min(list.find(';'), list.size()));
  std::vector<std::string> names;
  for (const std::string& word : split(list, ',')) {
    if (std::string name = module_name(word); !name.empty()) names.push_back(std::move(name));
  }
  return names;
}

bool is_module_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && fs::file_size(path, error) <= kLargestModule;
}

// The files that make up a dotted name: its packages' __init__.py and the module.
std::vector<fs::path> files_of_name(const std::string& name, const fs::path& script,
                                    const fs::path& importer) {
  const std::size_t dots = std::min(name.find_first_not_of('.'), name.size());
  fs::path folder = dots == 0 ? script.parent_path() : importer.parent_path();
  for (std::size_t i = 1; i < dots; ++i) folder = folder.parent_path();
  std::vector<fs::path> files;
  for (const std::string& part : split(name.substr(dots), '.')) {
    if (part.empty()) break;
    if (is_module_file(folder / (part + ".py"))) {
      files.push_back(folder / (part + ".py"));
      break;
    }
    folder /= part;
    std::error_code error;
    if (!fs::is_directory(folder, error)) break;
    if (is_module_file(folder / "__init__.py")) files.push_back(folder / "__init__.py");
  }
  return files;
}

}  // namespace

std::vector<std::string> imported_names(std::string_view source) {
  std::vector<std::string> names;
  for (const std::string& line : logical_lines(source)) {
    const std::string_view statement = trimmed(line);
    if (statement.starts_with("import ")) {
      std::ranges::move(names_in(std::string(statement.substr(7))), std::back_inserter(names));
      continue;
    }
    const std::size_t import = statement.find(" import");
    if (import == std::string_view::npos) continue;  // a sentence that begins with `from`
    const std::string from = module_name(statement.substr(5, import - 5));
    names.push_back(from);
    for (const std::string& name : names_in(std::string(statement.substr(import + 7)))) {
      names.push_back(from + (from.ends_with('.') ? "" : ".") + name);
    }
  }
  return names;
}

std::vector<fs::path> imported_files(const fs::path& script) {
  std::set<fs::path> found;
  std::vector<fs::path> open{script};
  while (!open.empty() && found.size() < kMostModules) {
    const fs::path importer = std::move(open.back());
    open.pop_back();
    const auto source = read_regular(importer, Links::kFollow);
    if (!source) continue;
    for (const std::string& name : imported_names(*source)) {
      for (const fs::path& file : files_of_name(name, script, importer)) {
        if (file != script && found.insert(file).second) open.push_back(file);
      }
    }
  }
  return {found.begin(), found.end()};
}

}  // namespace sweepd::command
