#include "runner/daemon/attempts/run_note.h"

#include <spdlog/spdlog.h>

#include <string>
#include <utility>

#include "runner/base/files.h"
#include "runner/wire/json_reader.h"

namespace sweepd {
namespace {

using NoteJson = nlohmann::ordered_json;

constexpr std::int64_t kLargestNote = 1 << 20;  // bytes; a rank takes some forty
constexpr std::pair<StopReason, const char*> kReasons[] = {{StopReason::kTimeout, "timeout"},
                                                           {StopReason::kCancelled, "cancelled"}};

NoteJson json_of(const RunNote& note) {
  NoteJson json = NoteJson::object();
  for (const auto& [reason, word] : kReasons) {
    if (note.stop == reason) json["stop"] = word;
  }
  NoteJson& ended = json["ended"] = NoteJson::array();
  for (const EndedRank& rank : note.ended) {
    NoteJson& entry = ended.emplace_back(NoteJson{{"rank", rank.rank}});
    if (rank.exit.signal) entry["signal"] = *rank.exit.signal;
    if (rank.exit.code) entry["code"] = *rank.exit.code;
  }
  if (note.hang) {
    json["hang"] = {{"collective", note.hang->collective}, {"waited_for", note.hang->waited_for}};
  }
  return json;
}

Result<RunNote> note_of(const NoteJson& json) {
  RunNote note;
  JsonReader reader(json);
  std::string stop;
  reader.optional("stop", stop);
  for (const auto& [reason, word] : kReasons) {
    if (stop == word) note.stop = reason;
  }
  reader.each("ended", [&](JsonReader<NoteJson>& entry) {
    EndedRank& rank = note.ended.emplace_back();
    entry.required("rank", rank.rank);
    entry.optional("signal", rank.exit.signal);
    entry.optional("code", rank.exit.code);
  });
  if (reader.find("hang") != nullptr) {
    reader.object("hang", [&](JsonReader<NoteJson>& hang) {
      hang.required("collective", note.hang.emplace().collective);
      hang.required("waited_for", note.hang->waited_for);
    });
  }
  if (const auto read = reader.result(); !read) return read.error();
  return note;
}

}  // namespace

Result<void> write_run_note(const AttemptFolder& folder, const RunNote& note) {
  return replace_file(folder.end_note(), to_json_line(json_of(note)) + "\n");
}

std::optional<RunNote> read_run_note(const AttemptFolder& folder) {
  const auto text = read_regular(folder.end_note(), Links::kRefuse, kLargestNote);
  if (!text) return std::nullopt;
  auto note = note_of(parse_ordered_json(*text));
  if (note) return std::move(*note);
  spdlog::warn("{}: {}", folder.end_note().string(), note.error().message);
  return std::nullopt;
}

}  // namespace sweepd
