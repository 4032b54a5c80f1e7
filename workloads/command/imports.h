// Which modules of its own a Python script imports, found by reading its import statements.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace sweepd::command {

// The dotted names that the statements of a source may import, in order: "a.b" for `import a.b`;
// "a" and "a.b" for `from a import b`, whose `b` may be a module; with leading dots as written.
// Statements inside of functions count, those inside of texts too.
std::vector<std::string> imported_names(std::string_view source);

// The files below the folder of `script` that it imports, directly or through others, sorted;
// without the script itself. Modules of installed packages are not among them. At most 1,000.
std::vector<std::filesystem::path> imported_files(const std::filesystem::path& script);

}  // namespace sweepd::command
