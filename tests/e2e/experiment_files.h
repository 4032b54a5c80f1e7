// The files of experiments/ and what their header comments promise.
//
//   # GPU:    sweepctl submit experiments/NAME.yaml --wait --set model=xl     commands for a reader
//   # small: --set model=tiny --set context=16                               options of the test's
//   run
//
// The header is the run of comment lines at the top. A file without a `small:` line is not run
// here.
#pragma once

#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace sweepd::e2e {

using Options = std::vector<std::string>;  // "--set", "model=tiny", ...

struct ExperimentFile {
  std::string name;  // below experiments/, without .yaml: "end_to_end/warmup"
  std::string text;
  std::vector<std::string> commands;  // every `sweepctl submit` of the header, as it stands there
  std::vector<std::string> reports;   // NAME of every `sweepctl report NAME` there
  std::optional<Options> small;
  std::vector<std::string> sweeps;  // of its documents, in order

  std::string path() const { return std::string(EXPERIMENTS) + "/" + name + ".yaml"; }
};
// Or ctest's names of the tests would hold the object's bytes.
inline void PrintTo(const ExperimentFile& file, std::ostream* out) {
  *out << file.name;
}

std::vector<ExperimentFile> experiment_files();  // sorted by name

// The values of `--set` among words: {"model=tiny", "context=16"}.
std::vector<std::string> sets_of(const Options& words);

// A report with everything taken out that differs from run to run and machine to machine: numbers
// become #, `names` (of hosts and devices) become their placeholder, padding goes, and so do the
// sign of a number, bold, the mark of a suspect figure and its note. Headings, rows, units, words
// such as OOM and the remaining notes stay.
struct Placeholder {
  std::string text, instead;
};
std::string mask(const std::string& report, const std::vector<Placeholder>& names);

// Each table's rows in the order of their text: for tables that are sorted by a time.
std::string with_rows_in_order(const std::string& report);

}  // namespace sweepd::e2e
