#include "tests/e2e/experiment_files.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "runner/base/text.h"
#include "runner/wire/catalog_json.h"
#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

namespace fs = std::filesystem;

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
    if (line.starts_with("# not small:")) file.not_small = trim(line.substr(12));
  }
}

void read_sweeps(ExperimentFile& file) {
  std::istringstream lines(file.text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("sweep: ")) file.sweeps.emplace_back(trim(line.substr(7)));
    if (line.starts_with("workload: ")) file.workloads.emplace_back(trim(line.substr(10)));
  }
}

}  // namespace

std::string text_of(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<ExperimentFile> experiment_files() {
  std::vector<ExperimentFile> files;
  for (const auto& entry : fs::recursive_directory_iterator(EXPERIMENTS)) {
    const auto& path = entry.path();
    const bool other =
        path.filename() == "study.yaml" || path.parent_path().filename() == "reference";
    if (path.extension() != ".yaml" || other) continue;
    ExperimentFile file;
    file.name = fs::relative(entry.path(), EXPERIMENTS).replace_extension().string();
    file.text = text_of(entry.path());
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

std::vector<ExperimentFile> small_experiment_files() {
  std::vector<ExperimentFile> files = experiment_files();
  std::erase_if(files, [](const ExperimentFile& file) { return !file.small; });
  return files;
}

std::string test_name(const ExperimentFile& file) {
  std::string name = file.name;
  for (char& c : name) {
    if (c == '/' || c == '-' || c == '.') c = '_';
  }
  return name;
}

const Catalog& shipped_catalog() {
  static const Catalog parsed = [] {
    const Sandbox box(SWEEP_WORKER);
    const Ran ran = box.run(SWEEP_WORKER, {"--describe"});
    auto read = catalog_from_json(nlohmann::json::parse(ran.out));
    if (!read) throw std::runtime_error(read.error().message);
    return *read;
  }();
  return parsed;
}

}  // namespace sweepd::e2e
