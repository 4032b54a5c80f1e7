// Reads the files of experiments/ and the promises of their header comments.
//
//   # GPU:    sweepctl submit experiments/NAME.yaml --wait --set model=xl     commands for a reader
//   # small: --set model=tiny --set context=16            options of the test's run
//   # not small: it needs a GPU                           or why there is none
//
// The header is the run of comment lines at the top.
#pragma once

#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "runner/model/vocabulary/catalog.h"

namespace sweepd::e2e {

using Options = std::vector<std::string>;  // "--set", "model=tiny", ...

struct ExperimentFile {
  std::string name;  // below experiments/, without .yaml: "end_to_end/warmup"
  std::string text;
  std::vector<std::string> commands;  // every `sweepctl submit` of the header, as written
  std::vector<std::string> reports;   // NAME of every `sweepctl report NAME` there
  std::optional<Options> small;
  std::string not_small;               // why it has no `small:` line
  std::vector<std::string> sweeps;     // of its documents, in order
  std::vector<std::string> workloads;  // of each

  std::string path() const { return std::string(EXPERIMENTS) + "/" + name + ".yaml"; }
};
// Otherwise ctest's names of the tests would contain the object's bytes.
inline void PrintTo(const ExperimentFile& file, std::ostream* out) {
  *out << file.name;
}

std::string text_of(const std::filesystem::path& file);

std::vector<ExperimentFile> experiment_files();        // sorted by name
std::vector<ExperimentFile> small_experiment_files();  // those with a `small:` line

// The workloads of the worker that runs experiments. Call before a test makes a sandbox: the first
// call makes one of its own.
const Catalog& shipped_catalog();

// For gtest, which takes letters, digits and underscores: "end_to_end_warmup".
std::string test_name(const ExperimentFile& file);

// The values of `--set` among words: {"model=tiny", "context=16"}.
std::vector<std::string> sets_of(const Options& words);

}  // namespace sweepd::e2e
