#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "runner/daemon/attempts/ingest.h"
#include "runner/wire/event.h"
#include "runner/wire/journal.h"
#include "tests/fuzz/target.h"

namespace sweepd::fuzz {
namespace {

// In memory where there is such a folder. Removed when the process ends as it should.
class Scratch {
 public:
  Scratch() {
    const std::filesystem::path memory = "/dev/shm";
    const auto root =
        std::filesystem::exists(memory) ? memory : std::filesystem::temp_directory_path();
    std::string made = root / "sweepd-fuzz-XXXXXX";
    require(::mkdtemp(made.data()) != nullptr, "a folder can be made");
    folder = AttemptFolder(made);
    spdlog::set_level(spdlog::level::off);  // otherwise each bad line is logged
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(folder.path(), ignored);
  }
  AttemptFolder folder{""};
};

struct Lines {
  std::string events;  // as they are written again
  std::size_t mistakes = 0;
  friend bool operator==(const Lines&, const Lines&) = default;
};

void feed(EventReader& reader, std::string_view bytes, Lines& lines) {
  std::vector<Event> events;
  for (auto read = reader.feed(bytes, events); !read; read = reader.feed("", events)) {
    require(!read.error().message.empty(), "a mistake has a message");
    ++lines.mistakes;
  }
  for (const Event& event : events) lines.events += event_to_line(event) + "\n";
}

Lines read_in_pieces(std::string_view bytes, std::size_t piece) {
  EventReader reader(0);
  Lines lines;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    feed(reader, bytes.substr(at, piece), lines);
  }
  return lines;
}

void ingest_it(std::string_view bytes, Pass pass) {
  static const Scratch scratch;
  std::ofstream(scratch.folder.events(0), std::ios::binary) << bytes;
  OpenAttempt attempt;
  attempt.pass = pass;
  const AttemptRecord record =
      ingest(scratch.folder, attempt, {{0, {std::nullopt, 0}}}, std::nullopt);
  const AttemptRecord again =
      ingest(scratch.folder, attempt, {{0, {std::nullopt, 0}}}, std::nullopt);
  require(describe(record.ending) == describe(again.ending), "read twice it ends in the same way");
  require(record.samples.size() == again.samples.size(), "and has the same samples");
  require(record.summaries.size() == again.summaries.size(), "and the same summaries");
  const auto last = last_word(scratch.folder, 0);
  const bool absurd =
      !read_journal(scratch.folder.events(0), 0, [](const Event&) {}).absurd.empty();
  require(!last || absurd || outcome_of(*last) == outcome_of(record.ending),
          "its last word is how it ended");
}

}  // namespace

void journal(std::string_view bytes) {
  const Lines whole = read_in_pieces(bytes, bytes.size() + 1);
  require(whole == read_in_pieces(bytes, 7), "pieces make no difference");
  const Lines again = read_in_pieces(whole.events, whole.events.size() + 1);
  require(again.mistakes == 0 && again.events == whole.events, "events are read as written");
  ingest_it(bytes, Pass::kTiming);
  ingest_it(bytes, Pass::kMemory);
}

}  // namespace sweepd::fuzz
