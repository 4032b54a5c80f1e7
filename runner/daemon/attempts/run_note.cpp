#include "runner/daemon/attempts/run_note.h"

#include <spdlog/spdlog.h>

#include <string>
#include <string_view>

#include "runner/base/files.h"
#include "runner/wire/message.h"

namespace sweepd {

inline std::string_view name_of(StopReason reason) {
  return reason == StopReason::kTimeout ? "timeout" : "cancelled";
}
inline Result<void> read_message(const nlohmann::json& value, StopReason& out) {
  for (const StopReason reason : {StopReason::kTimeout, StopReason::kCancelled}) {
    out = reason;
    if (value == name_of(reason).data()) return {};
  }
  return Error{ErrorCode::kInternal, not_a("timeout or cancelled", value)};
}

namespace {

constexpr std::int64_t kLargestNote = 1 << 20;  // bytes; a rank takes some forty

}  // namespace

Result<void> write_run_note(const AttemptFolder& folder, const RunNote& note) {
  return replace_file(folder.end_note(),
                      to_json_line(to_message<nlohmann::ordered_json>(note)) + "\n");
}

std::optional<RunNote> read_run_note(const AttemptFolder& folder) {
  const auto text = read_regular(folder.end_note(), Links::kRefuse, kLargestNote);
  if (!text) return std::nullopt;
  RunNote note;
  const auto read = from_message(parse_json(*text), note);
  if (read) return note;
  spdlog::warn("{}: {}", folder.end_note().string(), read.error().message);
  return std::nullopt;
}

}  // namespace sweepd
