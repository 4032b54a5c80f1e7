// The library of a plugin as its trials load it: a copy by content in the cache folder, so that a
// rebuilt file changes no queued trial. A source file is compiled into that folder once for each
// content, compiler and flags.
#pragma once

#include <filesystem>
#include <string>

#include "runner/base/result.h"

namespace sweepd {

// `plugins` in the cache folder (runner/base/started_as.h).
std::filesystem::path plugins_folder();

struct KeptPlugin {
  std::filesystem::path library;
  std::string code;  // "saxpy.so:0123456789ab", the code of its trials
};

// Copies or compiles the file unless the folder has it. Loads nothing. `shown` is the file as the
// user wrote it. The error of a compiler is its first lines.
Result<KeptPlugin> keep_plugin(const std::filesystem::path& file, const std::string& shown);

// The library of a trial with this code. Keeps the file again if the folder was emptied; an error
// if its content is another by now. An empty code, and `any`, are any.
Result<std::filesystem::path> library_of_code(const std::filesystem::path& file,
                                              const std::string& code);

}  // namespace sweepd
