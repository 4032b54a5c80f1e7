#include "runner/wire/deletion.h"

#include "runner/base/files.h"
#include "runner/base/folder_entries.h"
#include "runner/wire/json_values.h"
#include "runner/wire/largest_record.h"

namespace sweepd {

namespace fs = std::filesystem;

namespace {

using Json = nlohmann::ordered_json;

constexpr auto kDeleting = ".deleting";

// The ids of a list. Skips other texts, since they could lead out of the folder.
std::vector<std::string> ids_in(const Json& json, const char* name) {
  std::vector<std::string> ids;
  const auto list = json.is_object() ? json.find(name) : json.end();
  if (list == json.end() || !list->is_array()) return ids;
  for (const Json& one : *list) {
    if (one.is_string() && is_id(one.get<std::string>())) ids.push_back(one);
  }
  return ids;
}

}  // namespace

Result<fs::path> write_deletion(const fs::path& sweeps, const PendingDeletion& deletion) {
  std::error_code error;
  fs::create_directory(sweeps, error);
  if (error) {
    return Error{ErrorCode::kIo, "cannot create " + sweeps.string() + ": " + error.message()};
  }
  fs::path file = sweeps / (random_id() + kDeleting);
  const Json json{{"sweeps", deletion.sweeps}, {"attempts", deletion.attempts}};
  if (auto written = replace_file(file, to_indented_json(json) + "\n"); !written) {
    return written.error();
  }
  for (const fs::path& path : {file, sweeps}) {
    if (auto synced = force_to_disk(path); !synced) return synced.error();
  }
  return file;
}

std::vector<PendingDeletion> pending_deletions(const fs::path& sweeps) {
  std::vector<PendingDeletion> found;
  const auto files = entries_of(sweeps);
  if (!files) return found;
  for (const fs::path& file : *files) {
    if (file.extension() != kDeleting) continue;
    const auto text = read_regular(file, Links::kRefuse, kLargestRecord);
    if (!text) continue;
    const Json json = parse_ordered_json(*text);
    found.push_back({file, ids_in(json, "sweeps"), ids_in(json, "attempts")});
  }
  return found;
}

void end_deletion(const fs::path& file) {
  std::error_code ignored;  // the next daemon tries again
  fs::remove(file, ignored);
}

}  // namespace sweepd
