// The Python that draws pictures, or another one, or none.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace sweepd::e2e {

// SWEEPD_PYTHON for one test.
class Python {
 public:
  explicit Python(const std::string& program) {
    const char* before = std::getenv("SWEEPD_PYTHON");
    if (before != nullptr) before_ = before;
    ::setenv("SWEEPD_PYTHON", program.c_str(), 1);
  }
  ~Python() {
    if (before_.empty()) {
      ::unsetenv("SWEEPD_PYTHON");
    } else {
      ::setenv("SWEEPD_PYTHON", before_.c_str(), 1);
    }
  }

 private:
  std::string before_;
};

// The Python that tools/fetch_python_packages has made; "" without one.
inline std::string python_with_vl_convert() {
  const char* cache = std::getenv("SWEEPD_CACHE");
  const char* xdg = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  std::filesystem::path folder;
  if (cache != nullptr) {
    folder = cache;
  } else if (xdg != nullptr) {
    folder = std::filesystem::path(xdg) / "sweepd";
  } else if (home != nullptr) {
    folder = std::filesystem::path(home) / ".cache/sweepd";
  }
  const auto python = folder / "python-packages/bin/python";
  return std::filesystem::exists(python) ? python.string() : "";
}

}  // namespace sweepd::e2e
