#include "runner/worker/journal/event_writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "runner/base/units.h"
#include "runner/wire/journal.h"

namespace sweepd {

Result<EventWriter> EventWriter::open(const std::filesystem::path& file) {
  UniqueFd fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!fd) {
    return Error{ErrorCode::kIo, file.string() + ": cannot create: " + std::strerror(errno)};
  }
  return EventWriter(std::move(fd), file);
}

void EventWriter::add(const Event& event) {
  if (const auto* started = std::get_if<StartedEvent>(&event)) {
    started_ = {started->time, now_instant()};
  }
  std::string line;
  if (const auto* end = std::get_if<EndEvent>(&event)) {
    EndEvent counted = *end;
    if (started_) counted.time.ns = started_->first.ns + (now_instant() - started_->second).ns;
    counted.lines = lines_;
    counted.steps = steps_;
    line = event_to_line(counted);
  } else {
    line = event_to_line(event);
    check_room(line.size());
  }
  buffer_ += line;
  buffer_ += '\n';
  bytes_ += static_cast<std::int64_t>(line.size()) + 1;
  ++lines_;
  if (std::holds_alternative<StepEvent>(event)) ++steps_;
}

void EventWriter::check_room(std::size_t line_bytes) const {
  if (line_bytes > kLongestJournalLine) {
    throw std::length_error(
        fmt::format("an event has {} bytes; a line of the journal has at most {}", line_bytes,
                    to_text(Bytes{kLongestJournalLine})));
  }
  constexpr std::int64_t kMost = JournalLimits{}.bytes - (std::int64_t{1} << 20);  // for the `end`
  if (bytes_ + static_cast<std::int64_t>(line_bytes) > kMost) {
    throw std::length_error(fmt::format("the journal has {}, which is all that it may have",
                                        to_text(Bytes{JournalLimits{}.bytes})));
  }
}

void EventWriter::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t written = ::write(fd_.get(), rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      throw JournalError(file_.string() + ": cannot write: " + std::strerror(errno));
    }
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  buffer_.clear();
}

void EventWriter::flush_if_due(Instant now) {
  constexpr std::size_t kLargeBuffer = 1 << 20;
  if (now - written_ < kInterval && buffer_.size() < kLargeBuffer) return;
  written_ = now;
  flush();
}

}  // namespace sweepd
