#include "workloads/command/file_hash.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <system_error>

#include "runner/base/files.h"
#include "runner/base/hash.h"

namespace sweepd::command {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFiles = 10'000;  // of a watched folder
// Larger files are data, such as tokens or weights. To read them would take longer than many a
// trial, so their size and time stand for their content.
constexpr std::uintmax_t kMaxHashed = 64 << 20;  // bytes

bool is_hidden_or_cache(const fs::path& folder) {
  const std::string name = folder.filename().string();
  return name.starts_with('.') || name == "__pycache__";
}

}  // namespace

// One trial after another names the same interpreter, so a file is read again only if its size or
// time differs.
std::string hash_of_file(const fs::path& path, const std::string& named) {
  struct Known {
    std::uintmax_t size = 0;
    fs::file_time_type time;
    std::string hash;
  };
  static std::map<fs::path, Known> known;
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  const fs::file_time_type time = fs::last_write_time(path, error);
  Known& entry = known[path];
  if (size > kMaxHashed && !error) {
    return hash128(fmt::format("{} {}", size, time.time_since_epoch().count()));
  }
  if (!entry.hash.empty() && !error && entry.size == size && entry.time == time) return entry.hash;
  const auto content = read_regular(path, Links::kFollow);
  if (!content) {
    throw std::runtime_error(
        fmt::format("{}: {}; expected a file that can be read", named, content.error().message));
  }
  entry = {size, time, hash128(*content)};
  return entry.hash;
}

std::vector<fs::path> files_below(const fs::path& folder,
                                  const std::function<bool(const fs::path&)>& is_left_out,
                                  const std::string& named) {
  std::vector<fs::path> files;
  for (fs::recursive_directory_iterator entry(folder), end; entry != end; ++entry) {
    const bool left_out = is_left_out(entry->path());
    if (entry->is_directory() && (left_out || is_hidden_or_cache(entry->path()))) {
      entry.disable_recursion_pending();
    }
    if (!left_out && entry->is_regular_file()) files.push_back(entry->path());
    if (files.size() > kMaxFiles) {
      throw std::runtime_error(fmt::format(
          "{} has more than {} files; leave some of them out, as `!data` does", named, kMaxFiles));
    }
  }
  std::ranges::sort(files);
  return files;
}

std::string hash_of_files(const fs::path& folder, const std::vector<fs::path>& files,
                          const std::string& named) {
  std::string all;
  for (const fs::path& file : files) {
    all += fmt::format("{} {}\n", fs::relative(file, folder).string(), hash_of_file(file, named));
  }
  return hash128(all);
}

}  // namespace sweepd::command
