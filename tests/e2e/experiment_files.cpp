#include "tests/e2e/experiment_files.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>
#include <string_view>

#include "runner/base/text.h"

namespace sweepd::e2e {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

Options words_of(const std::string& line) {
  std::istringstream stream(line);
  Options words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

void read_header(ExperimentFile& file) {
  std::istringstream lines(file.text);
  for (std::string line; std::getline(lines, line) && line.starts_with('#');) {
    const std::size_t command = line.find("sweepctl submit ");
    if (command != std::string::npos) file.commands.push_back(line.substr(command));
    constexpr std::string_view kReport = "sweepctl report ";
    for (std::size_t at = line.find(kReport); at != std::string::npos;
         at = line.find(kReport, at)) {
      at += kReport.size();
      file.reports.push_back(line.substr(at, line.find_first_of("; ", at) - at));
    }
    if (line.starts_with("# small:")) file.small = words_of(line.substr(8));
  }
}

void read_sweeps(ExperimentFile& file) {
  std::istringstream lines(file.text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("sweep: ")) file.sweeps.emplace_back(trim(line.substr(7)));
  }
}

void replace_all(std::string& text, std::string_view what, std::string_view with) {
  if (what.empty()) return;
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
}

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

// "-1,234.5e+03" -> "#": digits, and what lies between or before them as part of the number.
std::string mask_numbers(const std::string& line) {
  std::string masked;
  for (std::size_t i = 0; i < line.size();) {
    if (!is_digit(line[i])) {
      masked += line[i++];
      continue;
    }
    const bool in_word =
        !masked.empty() &&
        (std::isalnum(static_cast<unsigned char>(masked.back())) != 0 || masked.back() == '_');
    if (in_word) {  // "bf16" and "fp32" are names
      while (i < line.size() && is_digit(line[i])) masked += line[i++];
      continue;
    }
    if (!masked.empty() && (masked.back() == '-' || masked.back() == '+')) masked.pop_back();
    const auto continues = [&](std::size_t at) {
      if (at >= line.size()) return false;
      if (is_digit(line[at])) return true;
      const bool next = at + 1 < line.size() && is_digit(line[at + 1]);
      if (line[at] == '.' || line[at] == ',') return next;
      if (line[at] == 'e' && at + 2 < line.size()) {
        return (line[at + 1] == '+' || line[at + 1] == '-') && is_digit(line[at + 2]);
      }
      return (line[at] == '+' || line[at] == '-') && line[at - 1] == 'e' && next;
    };
    do ++i;
    while (continues(i));
    masked += '#';
  }
  return masked;
}

std::string squeeze(const std::string& line, char repeated, std::size_t most) {
  std::string squeezed;
  std::size_t run = 0;
  for (const char c : line) {
    run = c == repeated ? run + 1 : 0;
    if (run <= most) squeezed += c;
  }
  return squeezed;
}

}  // namespace

std::vector<ExperimentFile> experiment_files() {
  std::vector<ExperimentFile> files;
  for (const auto& entry : fs::recursive_directory_iterator(EXPERIMENTS)) {
    if (entry.path().extension() != ".yaml") continue;
    ExperimentFile file;
    file.name = fs::relative(entry.path(), EXPERIMENTS).replace_extension().string();
    file.text = read(entry.path());
    read_header(file);
    read_sweeps(file);
    files.push_back(std::move(file));
  }
  std::sort(files.begin(), files.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return files;
}

std::vector<std::string> sets_of(const Options& words) {
  std::vector<std::string> sets;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == "--set") sets.push_back(words[i + 1]);
  }
  return sets;
}

std::string mask(const std::string& report, const std::vector<Placeholder>& names) {
  std::istringstream lines(report);
  std::string masked;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("- ‡")) continue;
    for (const Placeholder& name : names) replace_all(line, name.text, name.instead);
    if (line.starts_with('|')) {
      replace_all(line, "‡", "");
      replace_all(line, "**", "");
      line = squeeze(line, '-', 3);
    }
    line = squeeze(mask_numbers(line), ' ', 1);
    replace_all(line, ":--:", ":-:");
    masked += line + "\n";
  }
  return masked;
}

std::string with_rows_in_order(const std::string& report) {
  std::istringstream lines(report);
  std::string ordered;
  std::vector<std::string> rows;
  int line_of_table = 0;  // heads and rule are lines 1 and 2
  const auto flush = [&] {
    std::sort(rows.begin(), rows.end());
    for (const std::string& row : rows) ordered += row;
    rows.clear();
  };
  for (std::string line; std::getline(lines, line);) {
    line_of_table = line.starts_with('|') ? line_of_table + 1 : 0;
    if (line_of_table > 2) {
      rows.push_back(line + "\n");
    } else {
      flush();
      ordered += line + "\n";
    }
  }
  flush();
  return ordered;
}

}  // namespace sweepd::e2e
