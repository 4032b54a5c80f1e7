#include "runner/wire/request.h"

#include "runner/base/files.h"
#include "runner/wire/catalog_json.h"
#include "runner/wire/json_text.h"
#include "runner/wire/largest_record.h"
#include "runner/wire/message.h"

namespace sweepd {

using Ordered = nlohmann::ordered_json;  // people read the file too, so fields keep their order

std::string request_text(const AttemptRequest& request) {
  return to_indented_json(to_message<Ordered>(request)) + "\n";
}

Result<void> write_request(const std::filesystem::path& file, const AttemptRequest& request) {
  return replace_file(file, request_text(request));
}

Result<AttemptRequest> read_request(const std::filesystem::path& file) {
  const auto text = read_regular(file, Links::kRefuse, kLargestRecord);
  if (!text) return text.error();
  const auto fail = [&file](const std::string& what) {
    return Error{ErrorCode::kInvalidArgument, file.string() + ": " + what};
  };
  const Ordered json = parse_ordered_json(*text);
  if (json.is_discarded()) return fail(why_discarded(*text));
  AttemptRequest request;
  if (const auto read = from_message(json, request); !read) return fail(read.error().message);
  return request;
}

}  // namespace sweepd
