// The environment variables of this process, and the files installed with it.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <string>

namespace sweepd {

// The environment variable, or `otherwise` if it is unset or empty.
std::string variable_or(const char* name, const std::string& otherwise);

// $SWEEPD_CACHE, else $XDG_CACHE_HOME/sweepd, else ~/.cache/sweepd.
std::filesystem::path cache_folder();

// The first of `names` in the nearest folder above this program that has one; empty if none has.
// Finds files of an installation, a bundle or a build folder.
std::filesystem::path installed_file(std::initializer_list<const char*> names);

}  // namespace sweepd
