// A folder of packages for one test, and the real tool to fill it.
#pragma once

#include <filesystem>
#include <string>

namespace sweepd {

class PackagesFolder {
 public:
  PackagesFolder();  // points SWEEPD_AOT_DIR at it
  ~PackagesFolder();
  PackagesFolder(const PackagesFolder&) = delete;
  PackagesFolder& operator=(const PackagesFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Why the packages cannot be made here; "" where they can: $SWEEPD_PYTHON, or python3, has the
// torch that this was built with.
std::string why_no_packages();

// The command between the back quotes of a skipped trial's reason.
std::string command_in(const std::string& reason);

// Runs it; its exit status. What it says goes to the test's output.
int run_command(const std::string& command);

}  // namespace sweepd
