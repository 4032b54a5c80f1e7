// Writes the files that an attempt's ranks would leave in its folder.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "runner/wire/attempt_folder.h"
#include "runner/wire/event.h"
#include "runner/wire/status.h"

namespace sweepd {

inline void write_text(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary | std::ios::app) << text;
}

inline void write_events(const AttemptFolder& folder, int rank, const std::vector<Event>& events) {
  for (const Event& event : events) write_text(folder.events(rank), event_to_line(event) + "\n");
}

// A step of which only `forward` was timed, in ms.
inline Event step(std::int64_t number, double forward_ms, bool warmup = false) {
  StepEvent event{number, warmup, {}};
  event.samples = {{0, number, "forward", "time", forward_ms, warmup}};
  return event;
}

inline Event end(Ending ending, std::int64_t wall_ns = 5'000'000'000) {
  return EndEvent{std::move(ending), WallTime{wall_ns}};
}

inline void write_phase(const AttemptFolder& folder, int rank, const std::string& phase,
                        const std::string& note = "") {
  std::filesystem::create_directories(folder.path());
  auto status = StatusWriter::open(folder.status(rank));
  if (!status) return;
  status->set_phase(phase);
  status->set_note(note);
}

}  // namespace sweepd
