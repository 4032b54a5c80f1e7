// Makes a folder of packages for one test with the real tool.
#pragma once

#include <filesystem>
#include <string>

namespace sweepd {

class PackagesFolder {
 public:
  PackagesFolder();  // sets SWEEPD_AOT_DIR to it
  ~PackagesFolder();
  PackagesFolder(const PackagesFolder&) = delete;
  PackagesFolder& operator=(const PackagesFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Says why the packages cannot be made here. It is "" if $SWEEPD_PYTHON, or python3, has the torch
// that this was built with.
std::string why_no_packages();

// Returns the command between the back quotes of a skipped trial's reason.
std::string command_in(const std::string& reason);

// Runs it and returns its exit status. Its output goes to the test's output.
int run_command(const std::string& command);

}  // namespace sweepd
