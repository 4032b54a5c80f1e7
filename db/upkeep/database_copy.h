// A private copy of another database, migrated to this program's version and catalog. The original
// is only read: it may be older, on a read-only medium, or in use by its own daemon.
#pragma once

#include <filesystem>
#include <utility>

#include "runner/base/result.h"
#include "runner/model/vocabulary/catalog.h"

namespace sweepd {

class DatabaseCopy {
 public:
  // Copies into a new file in `folder`, which must exist. Takes about a second per gigabyte. Any
  // thread. Errors name `file`: not found, not sweepd's, written by a newer program, a parameter
  // whose type differs here. Adds the database's programs to `catalog`, which must have none of
  // another one's (Catalog::without_programs); so does is_readable_in_place.
  static Result<DatabaseCopy> make(const std::filesystem::path& file,
                                   const std::filesystem::path& folder, const Catalog& catalog);
  ~DatabaseCopy();  // removes the copy
  DatabaseCopy(DatabaseCopy&& other) noexcept : file_(std::exchange(other.file_, {})) {}
  DatabaseCopy& operator=(DatabaseCopy&&) = delete;

  const std::filesystem::path& file() const { return file_; }

 private:
  explicit DatabaseCopy(std::filesystem::path file) : file_(std::move(file)) {}
  std::filesystem::path file_;
};

// Removes the copies that a killed program left in `folder`.
void remove_stale_copies(const std::filesystem::path& folder);

// Returns whether a Reader with this catalog can use the file as it is. If not, make a copy.
// Errors: as for `make`.
Result<bool> is_readable_in_place(const std::filesystem::path& file, const Catalog& catalog);

}  // namespace sweepd
