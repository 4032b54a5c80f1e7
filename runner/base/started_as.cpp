#include "runner/base/started_as.h"

#include <cstdlib>

namespace sweepd {

namespace fs = std::filesystem;

std::string variable_or(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

fs::path cache_folder() {
  const fs::path home = variable_or("HOME", "");
  const fs::path caches = variable_or("XDG_CACHE_HOME", home / ".cache");
  return variable_or("SWEEPD_CACHE", caches / "sweepd");
}

fs::path installed_file(std::initializer_list<const char*> names) {
  std::error_code ignored;
  fs::path folder = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  for (; folder.has_relative_path(); folder = folder.parent_path()) {
    for (const char* name : names) {
      if (fs::exists(folder / name, ignored)) return folder / name;
    }
  }
  return {};
}

}  // namespace sweepd
