#include "runner/wire/outcome_file.h"

#include "runner/base/files.h"
#include "runner/wire/ending_json.h"
#include "runner/wire/json_text.h"
#include "runner/wire/largest_record.h"

namespace sweepd {

namespace {

using Json = nlohmann::ordered_json;

}  // namespace

Result<void> write_outcome(const std::filesystem::path& file, const SavedOutcome& saved) {
  Json json{{"ended_ns", saved.ended.ns}, {"rank", saved.ending.rank}};
  put(json, saved.ending);
  return replace_file(file, to_indented_json(json) + "\n");
}

Result<std::optional<SavedOutcome>> read_outcome(const std::filesystem::path& file) {
  using Found = std::optional<SavedOutcome>;
  const auto text = read_regular(file, Links::kRefuse, kLargestRecord);
  if (!text) {
    return text.error().code == ErrorCode::kNotFound ? Result<Found>(Found()) : text.error();
  }
  const Json json = parse_ordered_json(*text);
  if (json.is_discarded()) {
    return Error{ErrorCode::kInvalidArgument, file.string() + ": not valid JSON"};
  }
  SavedOutcome saved;
  JsonReader<Json> reader(json);
  reader.required("ended_ns", saved.ended.ns);
  reader.required("rank", saved.ending.rank);
  read(reader, saved.ending);
  if (const auto valid = reader.result(); !valid) {
    return Error{valid.error().code, file.string() + ": " + valid.error().message};
  }
  return Found(std::move(saved));
}

}  // namespace sweepd
