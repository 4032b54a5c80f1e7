#include "runner/wire/submission.h"

#include <algorithm>
#include <string_view>

#include "runner/base/files.h"
#include "runner/base/folder_entries.h"
#include "runner/base/ids.h"
#include "runner/base/printable.h"
#include "runner/wire/json_reader.h"
#include "runner/wire/largest_record.h"

namespace sweepd {

namespace fs = std::filesystem;

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kPending = ".json.pending";

fs::path pending_file(const fs::path& sweeps, const SweepId& id) {
  return sweeps / (id + std::string(kPending));
}

// The file may come from anywhere. Its id becomes the name of files, and users type its name.
std::string refusal_of(const Submission& submission, const fs::path& file) {
  if (!is_id(submission.id)) {
    return "sweep: `" + brief(submission.id) + "` is not an id; expected hex digits";
  }
  if (!is_sweep_name(submission.name)) {
    return "name: `" + brief(submission.name) +
           "` is not a name; expected letters, digits, `.`, `_` or `-`, " +
           std::to_string(kLongestSweepName) + " at most";
  }
  const std::string name = file.filename();
  if (name == submission.id + ".json" || name == submission.id + std::string(kPending)) return "";
  return "it is of sweep " + submission.id + ", and the file is not called so";
}

}  // namespace

fs::path submission_file(const fs::path& sweeps, const SweepId& id) {
  return sweeps / (id + ".json");
}

void pend_submission(const fs::path& sweeps, const SweepId& id) {
  if (!is_id(id)) return;  // it has no file, and may lead out of the folder
  std::error_code ignored;
  fs::rename(submission_file(sweeps, id), pending_file(sweeps, id), ignored);
}

void settle_submission(const fs::path& sweeps, const SweepId& id, bool is_stored) {
  if (!is_id(id)) return;
  std::error_code ignored;  // the next daemon tries again
  if (is_stored) {
    fs::rename(pending_file(sweeps, id), submission_file(sweeps, id), ignored);
  } else {
    fs::remove(pending_file(sweeps, id), ignored);
  }
}

std::vector<SweepId> pending_submissions(const fs::path& sweeps) {
  std::vector<SweepId> ids;
  const auto files = entries_of(sweeps);
  if (!files) return ids;
  for (const fs::path& file : *files) {
    const std::string name = file.filename();
    if (!name.ends_with(kPending)) continue;
    std::string id = name.substr(0, name.size() - kPending.size());
    if (is_id(id)) ids.push_back(std::move(id));
  }
  return ids;
}

void remove_unfinished_submissions(const fs::path& sweeps) {
  const auto files = entries_of(sweeps);
  if (!files) return;
  std::error_code ignored;
  for (const fs::path& file : *files) {
    if (file.extension() == ".new") fs::remove(file, ignored);
  }
}

std::vector<fs::path> submission_files(const fs::path& sweeps) {
  std::vector<fs::path> found;
  auto files = entries_of(sweeps);
  if (!files) return found;
  for (fs::path& file : *files) {
    const std::string name = file.filename();
    if (name.ends_with(".json") || name.ends_with(kPending)) found.push_back(std::move(file));
  }
  std::ranges::sort(found);
  return found;
}

Result<void> write_submission(const fs::path& sweeps, const Submission& submission) {
  std::error_code error;
  const bool is_new = fs::create_directory(sweeps, error);
  if (error) {
    return Error{ErrorCode::kIo, "cannot create " + sweeps.string() + ": " + error.message()};
  }
  const Json json{{"sweep", submission.id},
                  {"name", submission.name},
                  {"submitted_ns", submission.submitted.ns},
                  {"document", submission.document},
                  {"set", submission.set},
                  {"set_where_it_fits", submission.set_where_it_fits},
                  {"folder", submission.folder},
                  {"environment", submission.environment},
                  {"version", submission.version},
                  {"devices", submission.devices},
                  {"text", submission.text}};
  const fs::path file = pending_file(sweeps, submission.id);
  if (auto written = replace_file(file, to_indented_json(json) + "\n"); !written) return written;
  if (auto synced = force_to_disk(file); !synced) return synced;
  if (auto synced = force_to_disk(sweeps); !synced) return synced;
  return is_new ? force_to_disk(sweeps.parent_path()) : Result<void>();
}

Result<Submission> read_submission(const fs::path& file) {
  const auto text = read_regular(file, Links::kRefuse, kLargestRecord);
  if (!text) return text.error();
  const Json json = parse_ordered_json(*text);
  if (json.is_discarded()) {
    return Error{ErrorCode::kInvalidArgument, file.string() + ": not valid JSON"};
  }
  Submission submission;
  JsonReader<Json> reader(json);
  reader.required("sweep", submission.id);
  reader.required("name", submission.name);
  reader.required("submitted_ns", submission.submitted.ns);
  reader.required("text", submission.text);
  reader.optional("document", submission.document);
  reader.optional("set", submission.set);
  reader.optional("set_where_it_fits", submission.set_where_it_fits);
  reader.optional("folder", submission.folder);
  reader.optional("environment", submission.environment);
  reader.optional("version", submission.version);
  reader.object("devices", [&](JsonReader<Json>& devices) {
    const Json* object = reader.find("devices");
    if (object == nullptr || !object->is_object()) return;
    for (const auto& [pool, kind] : object->items()) {
      devices.required(pool.c_str(), submission.devices[pool]);
    }
  });
  if (const auto valid = reader.result(); !valid) {
    return Error{valid.error().code, file.string() + ": " + valid.error().message};
  }
  if (const std::string why = refusal_of(submission, file); !why.empty()) {
    return Error{ErrorCode::kInvalidArgument, file.string() + ": " + why};
  }
  return submission;
}

}  // namespace sweepd
