#include "tests/compiled/packages.h"

#include <sys/wait.h>
#include <torch/headeronly/version.h>

#include <cstdlib>

namespace sweepd {

namespace fs = std::filesystem;

PackagesFolder::PackagesFolder() {
  std::string pattern = (fs::temp_directory_path() / "sweepd-aot-XXXXXX").string();
  path_ = ::mkdtemp(pattern.data());
  ::setenv("SWEEPD_AOT_DIR", path_.c_str(), 1);
}

PackagesFolder::~PackagesFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  ::unsetenv("SWEEPD_AOT_DIR");
}

std::string why_no_packages() {
  const char* named = std::getenv("SWEEPD_PYTHON");
  const std::string python = named != nullptr ? named : "python3";
  const std::string probe =
      python + " -c 'import torch, sys; sys.exit(torch.__version__.split(\"+\")[0] != \"" +
      TORCH_VERSION + "\")' 2>/dev/null";
  static const bool found = run_command(probe) == 0;
  if (found) return "";
  return python + " has no torch " TORCH_VERSION ": pip install torch==" TORCH_VERSION
                  " and name that Python in SWEEPD_PYTHON";
}

std::string command_in(const std::string& reason) {
  const std::size_t begin = reason.find('`') + 1;
  return reason.substr(begin, reason.find('`', begin) - begin);
}

int run_command(const std::string& command) {
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

}  // namespace sweepd
