#include "runner/wire/submission.h"

#include "runner/base/files.h"
#include "runner/wire/json_reader.h"

namespace sweepd {

namespace fs = std::filesystem;

namespace {

using Json = nlohmann::ordered_json;

}  // namespace

fs::path submission_file(const fs::path& sweeps, const SweepId& id) {
  return sweeps / (id + ".json");
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
  const fs::path file = submission_file(sweeps, submission.id);
  if (auto written = replace_file(file, to_indented_json(json) + "\n"); !written) return written;
  if (auto synced = force_to_disk(file); !synced) return synced;
  if (auto synced = force_to_disk(sweeps); !synced) return synced;
  return is_new ? force_to_disk(sweeps.parent_path()) : Result<void>();
}

Result<Submission> read_submission(const fs::path& file) {
  const auto text = read_regular(file, Links::kRefuse);
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
  return submission;
}

}  // namespace sweepd
