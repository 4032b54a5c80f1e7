// The steps by which a fork of a loaded worker becomes a rank.
#pragma once

#include <filesystem>
#include <string>

namespace sweepd {

// "cannot open x: No such file or directory", by errno.
std::string failed(const std::string& what);

// Opens `path` as descriptor `target`. Returns a description of the error, or "".
std::string redirect(const std::filesystem::path& path, int flags, int target);

// Appends stdout and stderr to a log. Returns a description of the error, or "".
std::string redirect_output(const std::filesystem::path& log);

// Maps a hole of random size, which uses no memory. New mappings go below the lowest one, so this
// moves them.
void shift_later_mappings();

}  // namespace sweepd
