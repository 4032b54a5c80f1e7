#include "runner/base/temporary_folder.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

namespace sweepd {

namespace fs = std::filesystem;

Result<TemporaryFolder> TemporaryFolder::make(std::string_view verb) {
  std::string pattern =
      fs::absolute(fs::temp_directory_path() / fmt::format("sweepctl-{}-XXXXXX", verb)).string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    return Error{ErrorCode::kIo,
                 fmt::format("cannot make the folder {}: {}", pattern, std::strerror(errno))};
  }
  return TemporaryFolder(pattern);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

}  // namespace sweepd
