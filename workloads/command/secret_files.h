// Files that a program wrote, and that sweepd keeps and packs.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "workloads/command/secrets.h"

namespace sweepd::command {

// Covers each value in the files of an attempt's folder and of folders in it, without changing
// their lengths. Links are not followed; a file that has another name, perhaps elsewhere, is left.
// Files that sweepd wrote from what was hidden before are not searched, but for the logs.
class SecretFiles {
 public:
  // Both must outlive this.
  SecretFiles(const Secrets& secrets, const std::filesystem::path& folder)
      : secrets_(secrets), folder_(folder) {}
  ~SecretFiles();
  SecretFiles(const SecretFiles&) = delete;
  SecretFiles& operator=(const SecretFiles&) = delete;

  // A program runs from now on. What it wrote is covered by `cover`, else by the destructor.
  void will_change() { changed_ = true; }
  void cover();

  // Names of what the program, or its profiler, wrote into the folder itself, sorted.
  std::vector<std::string> of_program() const;

  // Where values were covered, and what could not be hidden: names and texts.
  std::vector<std::pair<std::string, std::string>> facts() const;

 private:
  const Secrets& secrets_;
  const std::filesystem::path& folder_;
  bool changed_ = false;
  std::set<std::string> covered_;  // relative paths
  std::set<std::string> left_;     // "model.bin: Permission denied"
};

}  // namespace sweepd::command
