#include "runner/wire/outcome_file.h"

#include "runner/base/files.h"
#include "runner/wire/json_text.h"
#include "runner/wire/largest_record.h"
#include "runner/wire/message.h"

namespace sweepd {

Result<void> write_outcome(const std::filesystem::path& file, const SavedOutcome& saved) {
  return replace_file(file, to_indented_json(to_message<nlohmann::ordered_json>(saved)) + "\n");
}

Result<std::optional<SavedOutcome>> read_outcome(const std::filesystem::path& file) {
  const auto text = read_regular(file, Links::kRefuse, kLargestRecord);
  if (!text && text.error().code == ErrorCode::kNotFound) return std::optional<SavedOutcome>();
  if (!text) return text.error();
  const auto fail = [&file](const std::string& what) {
    return Error{ErrorCode::kInvalidArgument, file.string() + ": " + what};
  };
  const nlohmann::json json = parse_json(*text);
  if (json.is_discarded()) return fail("not valid JSON");
  std::optional<SavedOutcome> saved(std::in_place);
  if (const auto read = from_message(json, *saved); !read) return fail(read.error().message);
  return saved;
}

}  // namespace sweepd
