// Compiles a source file to a plugin: with $CXX or c++, a `.cu` with $NVCC or nvcc. Lines of the
// file that begin with `// sweepd:` add flags: `// sweepd: -march=native -lcublas`.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runner/base/result.h"

namespace sweepd {

struct Compilation {
  std::filesystem::path folder;  // of the source, where its flags' relative paths begin
  std::string compiler;
  std::vector<std::string> command;  // without its output
  std::string identity;  // compiler, flags and preprocessed source: all that the library depends on
};

// Runs the preprocessor. Errors: no compiler, no headers of sweepd, or the compiler's own.
Result<Compilation> plan_compilation(const std::filesystem::path& source, const std::string& shown);

// Makes `library` at once: it is whole or not there.
Result<void> compile_plugin(const Compilation& compilation, const std::filesystem::path& library,
                            const std::string& shown);

// The words behind `// sweepd:` in a source, in order.
std::vector<std::string> flags_in(std::string_view source);

}  // namespace sweepd
