// A copy of a database, made while its daemon works with it.
#pragma once

#include <cstdint>
#include <filesystem>

#include "runner/base/result.h"
#include "runner/base/units.h"

namespace sweepd {

enum class Replace { kNo, kYes };

struct Backup {
  Bytes size;
  std::int64_t sweeps = 0, attempts = 0;
};

// Copies the database as it is at one moment to the new file `to`, which only this user may read.
// Writers are not delayed. The copy is checked and on the disk before it gets its name, so there is
// never half a copy under that name. Takes about three seconds per gigabyte. Any thread. Errors:
// `to` exists (unless kYes) or its folder does not; the disk is full; the database or the copy is
// damaged; SQLite would take `to` for a part of another database, or it is in `state_folder`, whose
// files a daemon relies on ("": there is none).
Result<Backup> back_up(const std::filesystem::path& database, const std::filesystem::path& to,
                       Replace replace = Replace::kNo,
                       const std::filesystem::path& state_folder = {});

}  // namespace sweepd
