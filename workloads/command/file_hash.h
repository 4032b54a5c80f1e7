// Hashes of the files that a program consists of.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace sweepd::command {

// In messages, `named` says who named the file or folder: "argv: `--config=mm.yaml`". All of them
// throw std::runtime_error.

// Of the content; of a file above 64 MiB, of size and time of change.
std::string hash_of_file(const std::filesystem::path& path, const std::string& named);

// Returns the files below a folder in the order of their names, at most 10,000, without those in
// hidden folders (.git, .venv) and Python's caches, and without those that are left out, or are in
// a folder that is.
std::vector<std::filesystem::path> files_below(
    const std::filesystem::path& folder,
    const std::function<bool(const std::filesystem::path&)>& is_left_out, const std::string& named);

// Of their paths below `folder`, and their content.
std::string hash_of_files(const std::filesystem::path& folder,
                          const std::vector<std::filesystem::path>& files,
                          const std::string& named);

}  // namespace sweepd::command
