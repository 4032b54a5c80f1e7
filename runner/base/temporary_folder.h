// A folder for a command's temporary files.
#pragma once

#include <filesystem>
#include <string_view>
#include <utility>

#include "runner/base/result.h"

namespace sweepd {

// The destructor removes it.
class TemporaryFolder {
 public:
  // `verb` is part of its name: "sweepctl-try-x8Yk2a".
  static Result<TemporaryFolder> make(std::string_view verb);
  ~TemporaryFolder();
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

}  // namespace sweepd
