#include "runner/base/folder_entries.h"

#include <fmt/format.h>

#include <system_error>

namespace sweepd {

Result<std::vector<std::filesystem::path>> entries_of(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> entries;
  std::error_code error;
  std::filesystem::directory_iterator at(folder, error), end;
  for (; !error && at != end; at.increment(error)) entries.push_back(at->path());
  if (!error) return entries;
  const bool missing = error == std::errc::no_such_file_or_directory;
  return Error{missing ? ErrorCode::kNotFound : ErrorCode::kIo,
               fmt::format("cannot read the folder {}: {}", folder.string(), error.message())};
}

}  // namespace sweepd
